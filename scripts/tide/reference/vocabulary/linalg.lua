-- What parameters of products, decompositions and solutions mean.
return {
  {
    of = "tide.linalg.* geqrf lu inverse det slogdet logdet pinverse matrix_power svd qr cholesky "
      .. "cholesky_solve cholesky_inverse lu_solve lu_unpack orgqr ormqr triangular_solve "
      .. "matrix_exp ger",
    A = "the matrix, or a stack of matrices in the last two dimensions",
    x = "tensor: the matrix, or a stack of matrices",
    B = "right hand sides, as columns; a vector is one",
    L = "the Cholesky factor",
    LD = "what ldl_factor gave",
    LU = "what lu_factor gave",
    pivots = "the exchanges of rows that came with the factors, from 1",
    tau = "the scales of the reflections, as geqrf gives them",
    upper = "= false: the upper triangle instead of the lower one",
    left = "= true: solve A X = B, or with false X A = B",
    unitriangular = "= false: take the diagonal for ones",
    transpose = "= false: use the transposed matrix",
    adjoint = "= false: use the transposed matrix",
    hermitian = "= false: the matrix is symmetric, which is quicker",
    check_errors = "= false: raise an error for a matrix that has no result, which waits",
    full_matrices = "= true: square U and V; with false only the columns that belong to singular "
      .. "values",
    some = "= true: only the columns that belong to singular values",
    mode = '"reduced" | "complete" | "r" = "reduced": as many columns as needed, a square Q, or R '
      .. 'alone',
    UPLO = '"L" | "U" = "L": which triangle is read',
    rcond = "= nil: singular values below this share of the largest count as 0; nil goes by the "
      .. "type and the size",
    rtol = "= nil: singular values below this share of the largest count as 0; nil goes by the "
      .. "type and the size",
    atol = "= 0: singular values below this count as 0",
    n = "the exponent; negative ones invert",
    ind = "= 2: how many dimensions are rows",
    dims = "= nil: dimensions moved behind the others before solving, from 1",
    keepdim = "= false: keep the reduced dimensions, with size 1",
  },
  {of = "tide.linalg.cond", p = "number | string = 2: which norm"},
  {
    of = "scaled_mm",
    other = "tensor: the second matrix, of float8",
    scale_a = "number | tensor: what the rows of x are multiplied by: one number, or float32 (m, 1)",
    scale_b = "number | tensor: the same of the columns of other: one number, or float32 (1, n)",
    bias = "tensor = nil: added to each row, of the result's type",
    out_dtype = "dtype = nil: type of the result; nil is bfloat16",
  },
  {of = "norm", p = 'number | string = 2: which norm: a number, "fro" or "nuc"'},
  {of = "vector_norm", ord = "= 2: which norm"},
  {
    of = "matrix_norm",
    dim = "= {-2, -1}: the dimensions of the matrices, from 1",
    ord = 'number | "fro" | "nuc" = "fro": which norm',
  },
  {
    of = "tide.linalg.norm",
    ord = 'number | "fro" | "nuc" = nil: which norm; nil is the Euclidean or Frobenius norm',
  },
  {of = "multi_dot", tensors = "the factors in order; the first and the last may be vectors"},
  {
    of = "svd_lowrank pca_lowrank",
    A = "tensor: the matrix, or a stack of matrices",
    q = "integer = 6: how many singular values",
    niter = "integer = 2: rounds of refinement",
    M = "tensor = nil: subtracted from A",
    center = "boolean: subtract the mean of each column",
  },
  {of = "pca_lowrank", q = "integer = nil: how many; nil is 6 or the smaller size"},
  {
    of = "matmul mm bmm dot inner outer ger kron mv",
    other = "the right factor",
    x = "the left factor",
    vector = "the vector",
  },
  {
    of = "addmm addbmm baddbmm addmv addr",
    x = "tensor: what is added to",
    beta = "= 1: factor of x",
    alpha = "= 1: factor of the product",
    mat1 = "the left matrix",
    mat2 = "the right matrix",
    mat = "the matrix",
    vec = "the vector",
    vec1 = "the vector of rows",
    vec2 = "the vector of columns",
    batch1 = "the left stack of matrices",
    batch2 = "the right stack of matrices",
  },
  {
    of = "tensordot",
    dims = "= 2: how many of the last and first dimensions to sum over, or two lists of them, "
      .. "from 1",
  },
  {
    of = "einsum",
    equation = 'the dimensions of each operand as letters and, behind ->, of the result: '
      .. '"ij,jk->ik"',
    operands = "the operands, one by one or in a table",
  },
  {
    of = "householder_product orgqr ormqr",
    A = "reflections as columns, as geqrf gives them",
    other = "what is multiplied",
  },
}
