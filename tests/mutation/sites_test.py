"""Tests of the sites and mutations that sites.py finds."""
import random
import unittest

import sites


def found(take, text):
    """(right, kind, wrong) of all mutations, stripped of spaces."""
    return {(text[m.begin:m.end].strip(), m.kind, m.wrong.strip())
            for site in take(text, random.Random(1)) for m in site.mistakes}


class CppSites(unittest.TestCase):
    def test_conditions(self):
        mistakes = found(sites.cpp_sites, "void f() {\n  if (a < b && !c) g();\n}\n")
        self.assertIn(("a < b && !c", "condition negated", "!(a < b && !c)"), mistakes)
        self.assertIn(("a < b && !c", "< becomes <=", "a <= b && !c"), mistakes)
        self.assertIn(("a < b && !c", "&& becomes ||", "a < b || !c"), mistakes)
        self.assertIn(("g();", "call dropped", ";"), mistakes)

    def test_statements(self):
        mistakes = found(sites.cpp_sites, "int f() {\n  x.y = a + h(p, q[2]);\n  return x - 1;\n}\n")
        self.assertIn(("x.y = a + h(p, q[2]);", "assignment dropped", ";"), mistakes)
        self.assertIn(("x.y = a + h(p, q[2]);", "arguments swapped", "x.y = a + h(q[2], p);"), mistakes)
        self.assertIn(("return x - 1;", "- becomes +", "return x + 1;"), mistakes)

    def test_declarations_keep_their_names(self):
        site, = sites.cpp_sites("void f() {\n  const int n = a * b;\n}\n", random.Random(1))
        mistake, = site.mistakes
        self.assertEqual(mistake.schema.replace(sites.NUMBER, "7"),
                         "const int n = tide_mutant(7) ? (a + b) : (a * b);")

    def test_what_is_not_code(self):
        self.assertEqual(found(sites.cpp_sites, "// a < b;\n#define X f(1);\nusing A = B;\n"), set())
        self.assertEqual(found(sites.cpp_sites, 'void f() { g("a < b, 1;"); }'),
                         {('g("a < b, 1;");', "call dropped", ";")})

    def test_loops(self):
        mistakes = found(sites.cpp_sites, "void f() {\n  for (int i = 0; i < n; ++i) g(i);\n}\n")
        self.assertIn(("i < n", "< becomes <=", "i <= n"), mistakes)


class LuaSites(unittest.TestCase):
    def test_lines(self):
        mistakes = found(sites.lua_sites, "if a and b then\n  x.y = f(1)\n  g(x)\nend\nreturn a == b\n")
        self.assertIn(("if a and b then", "condition negated", "if not (a and b) then"), mistakes)
        self.assertIn(("if a and b then", "and becomes or", "if a or b then"), mistakes)
        self.assertIn(("x.y = f(1)", "assignment dropped", ""), mistakes)
        self.assertIn(("g(x)", "call dropped", ""), mistakes)
        self.assertIn(("return a == b", "== becomes ~=", "return a ~= b"), mistakes)

    def test_parts_of_tables_and_texts_stay(self):
        self.assertEqual(found(sites.lua_sites, "local t = {\n  a = 1,\n}\n-- x = 1 + 1\n"), set())
        self.assertEqual(found(sites.lua_sites, "return '1 + 1'\n"), set())


if __name__ == "__main__":
    unittest.main()
