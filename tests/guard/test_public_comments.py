"""Every function of the public headers has a comment of its own on the line above it."""
import os
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import allowance  # noqa: E402
import c_source  # noqa: E402

# functions that are still without one
KNOWN = os.path.join(top, "tests", "guard", "known_uncommented.txt")


def declarations(group):
    """Statements of a header, each as its parts; those in extern "C" { } too."""
    statement = []
    for part in group.parts:
        statement.append(part)
        if part.text == ";":
            yield statement[:-1]
            statement = []
        elif part.text == "{":
            head = [word.text for word in statement[:-1]]
            if head == ["extern", '""']:
                yield from declarations(part)
                statement = []
            elif not set(head) & {"struct", "union", "enum", "typedef", "="} or "(" in head:
                yield statement
                statement = []


def functions(text):
    """Name and first line of each function that a header declares or defines."""
    for parts in declarations(c_source.nest(c_source.tokens(c_source.code(text)))):
        if parts and parts[0].text in ("typedef", "struct", "union", "enum", "_Static_assert", "static_assert"):
            continue
        for part, after in zip(parts, parts[1:]):
            if part.text == "=":
                break
            if part.kind == "name" and after.text == "(" and part.text.startswith("rv_"):
                yield part.text, parts[0].line
                break


def uncommented(text):
    """Functions of a header whose line above is no comment: name -> line."""
    lines = text.split("\n")
    found = {}
    for name, line in functions(text):
        above = lines[line - 2].strip() if line > 1 else ""
        if not above.startswith("//") and not above.endswith("*/"):
            found[name] = line
    return found


def rule_bites():
    text = """#ifdef __cplusplus
extern "C" {
#endif
typedef struct RvA {
  int (*run)(int a, int b);
} RvA;
// One.
RV_API int rv_one(int a,
                  int b);
RV_API int rv_two(void);
typedef void RvFn(int a);

/* Three. */
RV_API RvA* rv_three(void (*f)(int)) RV_PRINTF(1, 2);

static inline int rv_four(int a) {
  return rv_one(a, 1);
}
// Five.
static inline int rv_five(void) {
  return 5;
}
extern const int rv_table[];
struct RvB {
  int a;
};
int
rv_six(void);
#ifdef __cplusplus
}
#endif
"""
    assert [name for name, _ in functions(text)] == ["rv_one", "rv_two", "rv_three", "rv_four", "rv_five", "rv_six"]
    assert uncommented(text) == {"rv_two": 10, "rv_four": 16, "rv_six": 27}, uncommented(text)


def main():
    rule_bites()
    found, count = {}, 0
    for path in c_source.files(top, ("include/rivulet",), (".h",)):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        count += sum(1 for _ in functions(text))
        for name, line in uncommented(text).items():
            found[name] = "%s:%d: %s has no comment of its own above it" % (os.path.relpath(path, top), line, name)
    assert count > 100, "no functions found"
    wrong = allowance.judge(found, KNOWN, 98)
    print("\n".join(wrong) or "%d functions, %d without a comment" % (count, len(found)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
