-- Ops of the domain ai.onnx.ml: trees, support vectors, linear models, features, categories; values of ONNX Runtime
-- 1.32.
local native = require "tide.native"
local operators = require "tide.onnx.operators"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, close, raises = test.same_type, test.close, test.raises

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")

--- A function that computes an op with these attributes.
local function op(name, attributes, version)
  local call = operators.find("ai.onnx.ml", name).call
  local node = {op = name, attributes = attributes or {}, outputs = {"y"}, version = version or 3}
  return function(...) return call(node, ...) end
end

local function merged(...)
  local all = {}
  for _, part in ipairs {...} do
    for key, value in pairs(part) do all[key] = value end
  end
  return all
end

--- Two trees; the second sends nan to its first leaf.
local kNodes <const> = {
  nodes_treeids = {0, 0, 0, 0, 0, 1, 1, 1}, nodes_nodeids = {0, 1, 2, 3, 4, 0, 1, 2},
  nodes_featureids = {0, 0, 1, 0, 0, 1, 0, 0}, nodes_values = {0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0},
  nodes_modes = {"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"},
  nodes_truenodeids = {1, 0, 3, 0, 0, 1, 0, 0}, nodes_falsenodeids = {2, 0, 4, 0, 0, 2, 0, 0},
  nodes_missing_value_tracks_true = {0, 0, 0, 0, 0, 1, 0, 0},
}

--- Weights of the leaves; the last leaf has two.
local function weights(stem, ids, values)
  return {
    [stem .. "_treeids"] = {0, 0, 0, 1, 1, 1}, [stem .. "_nodeids"] = {1, 3, 4, 1, 2, 2}, [stem .. "_ids"] = ids,
    [stem .. "_weights"] = values or {0.5, -1.0, 2.0, 0.25, -0.75, 3.0},
  }
end

describe("an ensemble of trees", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  local nan = 0 / 0
  local x = tensor {{-1, 2}, {0.5, nan}, {3, -1}}

  it("computes sums, means, minima and maxima", function()
    local expected = {
      SUM = {{-0.15, 3.2}, {0.6, 0.45}, {2.1, 0.45}}, AVERAGE = {{-0.025, 1.7}, {0.35, 0.325}, {1.1, 0.325}},
      MIN = {{-0.65, 3.2}, {0.6, 0.45}, {2.1, 0.45}}, MAX = {{0.6, 3.2}, {0.6, 0.45}, {2.1, 0.45}},
    }
    for aggregate, y in pairs(expected) do
      close(op("TreeEnsembleRegressor", merged(kNodes, weights("target", {0, 1, 0, 1, 0, 1}),
        {n_targets = 2, base_values = {0.1, 0.2}, aggregate_function = aggregate}))(x), y)
    end
  end)

  it("classifies with three classes, with two and one score, and with two and a probability", function()
    local label, y = op("TreeEnsembleClassifier", merged(kNodes, weights("class", {0, 1, 2, 1, 2, 0}),
      {classlabels_int64s = {4, 5, 6}, post_transform = "SOFTMAX"}))(x)
    equal(label:tolist(), {4, 4, 6})
    close(y, {{0.9574, 0.0289, 0.0137}, {0.4192, 0.3265, 0.2543}, {0.1034, 0.1327, 0.7639}}, {atol = 1e-4})
    label, y = op("TreeEnsembleClassifier", merged(kNodes, weights("class", {0, 0, 0, 0, 0, 0}),
      {classlabels_strings = {"no", "yes"}, post_transform = "LOGISTIC"}))(x)
    equal(label, {"yes", "yes", "yes"})
    close(y, {{0.0601, 0.9399}, {0.3208, 0.6792}, {0.0953, 0.9047}}, {atol = 1e-4})
    label, y = op("TreeEnsembleClassifier", merged(kNodes,
      weights("class", {0, 0, 0, 0, 0, 0}, {0.2, 0.1, 0.3, 0.3, 0.1, 0.1}), {classlabels_int64s = {0, 1}}))(x)
    equal(label:tolist(), {0, 0, 1})
    close(y, {{0.6, 0.4}, {0.5, 0.5}, {0.4, 0.6}})
  end)

  it("of the newer form has branches by sets", function() -- values of ONNX's own test
    local y = op("TreeEnsemble", {
      leaf_targetids = {0, 1, 2, 3}, leaf_weights = tide.tensor {1.0, 10, 1000, 100},
      membership_values = tide.tensor {1.2, 3.7, 8, 9, nan, 12, 7, nan}, n_targets = 4,
      nodes_falseleafs = {1, 0, 1}, nodes_falsenodeids = {2, 2, 3}, nodes_featureids = {0, 0, 0},
      nodes_modes = tide.tensor {0, 6, 6}, nodes_splits = tide.tensor {11, 232344, nan},
      nodes_trueleafs = {0, 1, 1}, nodes_truenodeids = {1, 0, 1}, tree_roots = {0},
    }, 5)(tensor {{1.2}, {3.4}, {-0.12}, {nan}, {12}, {7}})
    close(y, {{1, 0, 0, 0}, {0, 0, 0, 100}, {0, 0, 0, 100}, {0, 0, 1000, 0}, {0, 0, 1000, 0}, {0, 10, 0, 0}})
  end)

  it("is rejected if it is invalid", function()
    local function refuse(message, changed, input)
      raises(message, op("TreeEnsembleRegressor", merged(kNodes, weights("target", {0, 0, 0, 0, 0, 0}), changed)),
        input or x)
    end
    refuse("node 0 of the trees is reached twice", {nodes_truenodeids = {0, 0, 3, 0, 0, 1, 0, 0}})
    refuse("node 2 of tree 0 has a child that does not exist", {nodes_truenodeids = {1, 0, 9, 0, 0, 1, 0, 0}})
    refuse("nodes_values: expected 8 entries, got 2", {nodes_values = {1.0, 2.0}})
    refuse("a weight has target 7 of 1", {target_ids = {0, 0, 0, 7, 0, 0}})
    refuse("a weight has node 9 of tree 0, which does not exist", {target_nodeids = {9, 3, 4, 1, 2, 2}})
    refuse("the trees read column 2, but the input has 1 columns", {}, tensor {{1.0}})
    refuse("node 0 of the trees reads column -3", {nodes_featureids = {-3, 0, 1, 0, 0, 1, 0, 0}})
    refuse("aggregate_function 'MEDIAN' is not supported", {aggregate_function = "MEDIAN"})
  end)
end)

describe("support vectors", function(device)
  local x = tide.tensor({{1, 0.5}, {-1, 2}}, {device = device})
  local function machine(kernel, params, extra)
    return merged({
      kernel_type = kernel, kernel_params = params, support_vectors = {1.0, 0.0, 0.0, 1.0, 1.0, 1.0},
    }, extra)
  end
  local three = {
    vectors_per_class = {1, 1, 1}, coefficients = {1.0, -2.0, 0.5, 0.5, 1.0, -1.0}, rho = {0.1, 0.2, -0.3},
    classlabels_ints = {4, 5, 6},
  }

  it("can be regressors, with four kernels", function()
    local expected = {
      LINEAR = {{0.0, 0.0, 0.0}, {{1.0}, {-4.25}}}, POLY = {{0.5, 1.0, 2.0}, {{0.90625}, {-6.375}}},
      RBF = {{0.5, 0.0, 0.0}, {{0.50322}, {-0.4264}}}, SIGMOID = {{0.5, 0.1, 0.0}, {{0.45983}, {-1.46242}}},
    }
    for kernel, row in pairs(expected) do
      close(op("SVMRegressor", machine(kernel, row[1],
        {n_supports = 3, coefficients = {1.0, -2.0, 0.5}, rho = {0.25}}))(x), row[2], {atol = 1e-5})
    end
  end)

  it("classify by pairs", function()
    local label, y = op("SVMClassifier", machine("POLY", {0.5, 1.0, 2.0}, three))(x)
    equal(label:tolist(), {4, 5})
    close(y, {{-0.775, 2.85625, -1.8}, {-7.65, 1.45, 1.45}}, {atol = 1e-5})
    label, y = op("SVMClassifier", machine("RBF", {0.5, 0.0, 0.0}, {
      vectors_per_class = {1, 2}, coefficients = {1.0, -2.0, 0.5}, rho = {0.1}, classlabels_strings = {"a", "b"},
    }))(x)
    equal(label, {"a", "b"})
    close(y, {{-0.35322, 0.35322}, {0.5764, -0.5764}}, {atol = 1e-5})
  end)

  it("compute probabilities of classes from those of pairs", function()
    local label, y = op("SVMClassifier", machine("RBF", {0.5, 0.0, 0.0},
      merged(three, {prob_a = {-1.0, -2.0, -0.5}, prob_b = {0.1, 0.0, 0.2}})))(x)
    equal(label:tolist(), {4, 4})
    close(y, {{0.47626, 0.3435, 0.18023}, {0.29855, 0.38901, 0.31244}}, {atol = 1e-5})
  end)
end)

describe("a linear model", function(device)
  local x = tide.tensor({{1, 0.5}, {-1, 2}}, {device = device})
  it("classifies, with each transform of the scores", function()
    local expected = {
      NONE = {{{1, 1, 0}, {-1, 2.5, -0.5}}, {{0.25, 0.75}, {3.75, -2.75}}},
      LOGISTIC = {{{0.73106, 0.73106, 0.5}, {0.26894, 0.92414, 0.37754}}, {{0.32082, 0.67918}, {0.93991, 0.06009}}},
      SOFTMAX = {{{0.42232, 0.42232, 0.15536}, {0.02796, 0.92594, 0.0461}}, {{0.25, 0.75}, {3.75, -2.75}}},
      SOFTMAX_ZERO = {{{0.5, 0.5, 0}, {0.02796, 0.92594, 0.0461}}, {{0.25, 0.75}, {3.75, -2.75}}},
    }
    for name, rows in pairs(expected) do
      local label, y = op("LinearClassifier", {
        coefficients = {1.0, 0.0, 0.0, 1.0, 1.0, 1.0}, intercepts = {0.0, 0.5, -1.5}, classlabels_ints = {4, 5, 6},
        post_transform = name,
      })(x)
      equal(label:tolist(), {4, 5})
      close(y, rows[1], {atol = 1e-5})
      label, y = op("LinearClassifier", {
        coefficients = {1.0, -1.0}, intercepts = {0.25}, classlabels_ints = {4, 5}, post_transform = name,
      })(x)
      equal(label:tolist(), {5, 4})
      close(y, rows[2], {atol = 1e-5})
    end
  end)
  it("can be a regressor", function()
    close(op("LinearRegressor", {coefficients = {1.0, 1.0}, intercepts = {0.1}, post_transform = "PROBIT"})(
      tide.tensor({{0.25, 0.5}}, {device = device})), {{1.0364334}}, {atol = 1e-5}) -- the quantile of 0.85 in tables
    raises("3 coefficients for 1 results of 2 columns", op("LinearRegressor", {coefficients = {1.0, 1.0, 2.0}}), x)
    raises("post_transform 'CUBE' is not supported", op("LinearRegressor",
      {coefficients = {1.0, 1.0}, post_transform = "CUBE"}), x)
  end)
end)

describe("features", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  it("are scaled, normalized, imputed, and binarized", function()
    close(op("Scaler", {offset = {1.0, 2.0}, scale = {0.5, 3.0}})(tensor {{1, 2}, {3, 4}}), {{0, 0}, {1, 6}})
    local rows = tensor {{-3.0, 2, 1}, {0, 0, 0}}
    close(op("Normalizer", {norm = "MAX"})(rows), {{-1.5, 1, 0.5}, {0, 0, 0}})
    close(op("Normalizer", {norm = "L1"})(rows), {{-0.5, 0.33333, 0.16667}, {0, 0, 0}}, {atol = 1e-5})
    close(op("Normalizer", {norm = "L2"})(rows), {{-0.80178, 0.53452, 0.26726}, {0, 0, 0}}, {atol = 1e-5})
    local nan = 0 / 0
    close(op("Imputer", {imputed_value_floats = {7.0, 8.0}, replaced_value_float = nan})(tensor {{nan, nan}, {1, 2}}),
      {{7, 8}, {1, 2}})
    equal(op("Imputer", {imputed_value_int64s = {5}, replaced_value_int64 = 1})(tensor {{1, 2}}):tolist(), {{5, 2}})
    equal(op("Binarizer", {threshold = 0.5})(tensor {{0.5, 0.6}}):tolist(), {{0.0, 1.0}})
  end)
  it("are selected and concatenated", function()
    equal(op("ArrayFeatureExtractor")(tensor {{1, 2, 3}, {4, 5, 6}}, tensor {2, 0}):tolist(), {{3, 1}, {6, 4}})
    equal(op("ArrayFeatureExtractor")({"a", "b", "c"}, tensor {2, 0}), {"c", "a"})
    equal(op("FeatureVectorizer", {inputdimensions = {1, 3}})(tensor {{1, 2}}, tensor {{3, 4}}):tolist(),
      {{1.0, 3.0, 4.0, 0.0}})
  end)
end)

describe("categories", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  it("are converted to numbers and text", function()
    local encode = op("LabelEncoder", {keys_strings = {"a", "b"}, values_int64s = {4, 5}, default_int64 = 9})
    equal(encode({"b", "z", "a"}):tolist(), {5, 9, 4})
    local decode = op("LabelEncoder", {keys_int64s = {4, 5}, values_strings = {"a", "b"}})
    equal(decode(tensor {5, 7}), {"b", "_Unused"})
    local floats = op("LabelEncoder", {keys_floats = {1.0, 0 / 0}, values_floats = {0.5, 2.5}, default_float = -1.0})
    equal(floats(tensor {{1.0, 0 / 0}, {3, 1}}):tolist(), {{0.5, 2.5}, {-1.0, 0.5}})
    equal(op("LabelEncoder", {classes_strings = {"a", "b"}, default_int64 = -3}, 1)({"b", "z"}):tolist(), {1, -3})
    local tensors_of = {keys_tensor = tide.tensor {4, 6}, values_tensor = {"x", "y"}, default_tensor = {"?"}}
    equal(op("LabelEncoder", tensors_of, 4)(tensor {6, 1}), {"y", "?"})
    local mapper = op("CategoryMapper", {cats_strings = {"a", "b"}, cats_int64s = {4, 5}, default_string = "none"})
    equal(mapper(tensor {5, 7}), {"b", "none"})
    equal(mapper({"a", "z"}):tolist(), {4, -1})
  end)
  it("are converted to one-hot rows", function()
    equal(op("OneHotEncoder", {cats_int64s = {1, 3}})(tensor {3, 9}):tolist(), {{0.0, 1.0}, {0.0, 0.0}})
    equal(op("OneHotEncoder", {cats_strings = {"a", "b"}})({"b", "a"}):tolist(), {{0.0, 1.0}, {1.0, 0.0}})
    raises("an entry is not a known category", op("OneHotEncoder", {cats_int64s = {1}, zeros = 0}), tensor {2})
  end)
  it("name scores", function()
    equal(op("ZipMap", {classlabels_strings = {"a", "b"}})(tensor {{0.5, 0.25}, {0, 1}}),
      {{a = 0.5, b = 0.25}, {a = 0.0, b = 1.0}})
    raises("1 labels for 2 scores", op("ZipMap", {classlabels_int64s = {1}}), tensor {{0.5, 0.5}})
  end)
end)

describe("a file with text", function(device)
  local folder = own_folder()
  it("returns labels as a list of strings, and scores by label", function()
    local path = folder() .. "/model.onnx"
    local function info(name) return {name = name, type = {tensor_type = {elem_type = 1}}} end
    local initializers = {
      {name = "names", data_type = 8, dims = {2}, string_data = {"no", "yes"}},
      tensors.write("flat", tide.tensor {-1}),
    }
    native.write_onnx(path, "ModelProto", {
      ir_version = 8, opset_import = {{domain = "", version = 17}, {domain = "ai.onnx.ml", version = 3}},
      graph = {
        name = "graph", input = {info "x"}, output = {info "label", info "scores"}, initializer = initializers, node = {
          {op_type = "ArgMax", input = {"x"}, output = {"best"}, attribute = {{name = "axis", type = 2, i = 1}}},
          {op_type = "ArrayFeatureExtractor", domain = "ai.onnx.ml", input = {"names", "best"}, output = {"picked"}},
          {op_type = "Reshape", input = {"picked", "flat"}, output = {"label"}},
          {op_type = "ZipMap", domain = "ai.onnx.ml", input = {"x"}, output = {"scores"},
            attribute = {{name = "classlabels_strings", type = 8, strings = {"no", "yes"}}}},
        },
      },
    }, "save")
    local label, scores = tide.onnx.load(path)(tide.tensor({{0.25, 0.75}, {1, 0}}, {device = device}))
    equal(label, {"yes", "no"})
    equal(scores, {{no = 0.25, yes = 0.75}, {no = 1.0, yes = 0.0}})
  end)
  it("rejects text for ops on numbers", function()
    local path = folder() .. "/model.onnx"
    local function info(name) return {name = name, type = {tensor_type = {elem_type = 8}}} end
    native.write_onnx(path, "ModelProto", {
      ir_version = 8, opset_import = {{domain = "", version = 17}}, graph = {
        name = "graph", input = {info "x"}, output = {info "y"},
        node = {{op_type = "Equal", name = "same", input = {"x", "x"}, output = {"y"}}},
      },
    }, "save")
    raises("node 'same' (Equal): input 1: text is not supported", tide.onnx.load(path), {"a", "b"})
  end)
end)
