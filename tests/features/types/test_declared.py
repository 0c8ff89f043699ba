"""Reading what generated files declare, and what changed between two of them."""

from collections.abc import Callable

import pytest

from dashboard.features.types.rules.comparison import Change, changes
from dashboard.features.types.rules.declarations import alternatives, items, schemas
from dashboard.features.types.services import compare, preview

PARTS_FOUND_MAX = 60
SHOWN_MAX_CHARACTERS = 600_000

OLD = """export type Json = string | number | boolean | null | { [key: string]: Json } | Json[]

export interface Database {
  public: {
    Tables: {
      todos: {
        Row: { id: number; title: string | null; note: string }
        Insert: { id?: number; title?: string | null; note?: string }
        Update: { id?: number; title?: string | null; note?: string }
      }
      lists: { Row: { id: number }; Insert: { id?: number }; Update: { id?: number } }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      latest: { Args: { since: string }, Returns: { id: number }[] }
    }
    Enums: { state: "open" | "a | b" | "done" }
  }
}
"""
# The same, as a later generator writes it.
NEWER = """export type Database = {
  // Allows to automatically instantiate createClient
  __InternalSupabase: {
    PostgrestVersion: "12.2"
  }
  public: {
    Tables: {
      lists: {
        Row: {
          id: number
        }
        Insert: {
          id?: number
        }
        Update: {
          id?: number
        }
        Relationships: []
      }
      todos: {
        Row: {
          title: null | string
          note: string
          id: number
        }
        Insert: {
          id?: number
          note?: string
          title?: string | null
        }
        Update: {
          note?: string
          title?: null | string
          id?: number
        }
        Relationships: [
          {
            columns: ["id"]
          },
        ]
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      latest: {
        Args: { since: string }
        Returns: {
          id: number
        }[]
      }
    }
    Enums: {
      state:
        | "open"
        | "done"
        | "a | b"
    }
  }
}
export type Tables<Name extends keyof Database["public"]> = Database["public"][Name]
"""


def told(old: str, new: str) -> list[tuple[str, str, str]]:
    return [(change.kind, change.place, change.what) for change in changes(schemas(old), schemas(new))]


@pytest.mark.parametrize("source", [OLD, NEWER])
def test_it_reads_either_form(source: str) -> None:
    public = schemas(source)["public"]
    assert list(schemas(source)) == ["public"]
    assert set(items(public, "Tables")) == {"todos", "lists"}
    assert items(public, "Views") == {}
    assert set(items(public, "Functions")) == {"latest"}
    assert alternatives(items(public, "Enums")["state"].text) == {'"open"', '"done"', '"a | b"'}


def test_the_same_in_another_form_is_the_same() -> None:
    assert told(OLD, NEWER) == []
    compared = compare(OLD, NEWER)
    assert (compared.is_same, compared.is_unread, compared.changes) == (False, False, [])


REWRITTEN = {
    "quotes": lambda text: text.replace('"', "'"),
    "quoted names": lambda text: text.replace("id:", '"id":').replace("title?:", "'title'?:"),
    "semicolons": lambda text: text.replace("number\n", "number;\n").replace("string\n", "string;\n").replace("}\n", "};\n"),
    "commas": lambda text: text.replace("number\n", "number,\n").replace("}\n", "},\n"),
    "order of a union": lambda text: text.replace("null | string", "string | null").replace(
        '"open"\n        | "done"', '"done"\n        | "open"'
    ),
    "layout": lambda text: text.replace("  ", "\t").replace("\n", "\n\n"),
}


@pytest.mark.parametrize("rewrite", REWRITTEN.values(), ids=REWRITTEN)
def test_stale_does_not_depend_on_quotes_semicolons_or_order(rewrite: Callable[[str], str]) -> None:
    for one, other in ((rewrite(NEWER), NEWER), (NEWER, rewrite(NEWER))):
        assert one != other
        compared = compare(one, other)
        assert compared.is_current, compared.changes
        assert not compared.is_same


NESTED = """export type Database = {
  public: {
    Functions: {
      over:
        | { Args: { a: string; b?: "x" | 'y' }; Returns: Array<{ id: number; name: string | null }> }
        | { Args: Record<string, never>; Returns: "it's" }
    }
    Tables: {
      t: {
        Row: { id: number }
        Insert: { id?: number }
        Update: { id?: number }
        Relationships: [
          { columns: ["a", "b"]; referencedRelation: "u" },
          { columns: ["c"]; referencedRelation: "v" },
        ]
      }
    }
  }
}
"""
NESTED_OTHERWISE = """export interface Database {
  'public': {
    Tables: {
      "t": {
        Relationships: [
          {
            referencedRelation: 'v'
            columns: ['c']
          },
          {
            referencedRelation: 'u'
            columns: ['a', 'b']
          }
        ]
        Update: { id?: number, },
        Insert: { id?: number },
        Row: { id: number; };
      }
    };
    Functions: {
      over:
        | {
            Returns: 'it\\'s'
            Args: Record<string, never>
          }
        | {
            Args: {
              b?: 'y' | "x"
              a: string
            }
            Returns: Array<{
              name: null | string
              id: number
            }>
          }
    }
  }
}
"""


def test_stale_does_not_depend_on_order_deep_inside_a_type() -> None:
    assert compare(NESTED, NESTED_OTHERWISE).changes == []
    for old, new in (("id: number; name", "id: string; name"), ("'y' }", "'z' }"), ('"a", "b"', '"b", "a"'), ("it's", "its")):
        assert not compare(NESTED.replace(old, new), NESTED_OTHERWISE).is_current, new


def test_what_rows_take_and_relationships_count_as_well() -> None:
    assert told(NESTED, NESTED.replace("Insert: { id?: number }", "Insert: { id?: never }")) == [
        ("changed", "public.t", "column id on insert")
    ]
    assert told(NESTED, NESTED.replace("Update: { id?: number }", "Update: {}")) == [
        ("removed", "public.t", "column id on update")
    ]
    assert told(NESTED, NESTED.replace("Insert: { id?: number }", "Insert: { id: number }")) == [
        ("narrowed", "public.t", "column id, now required on insert")
    ]
    assert told(NESTED.replace("Insert: { id?: number }", "Insert: { id: number }"), NESTED) == [
        ("widened", "public.t", "column id, now optional on insert")
    ]
    assert told(NESTED, NESTED.replace('referencedRelation: "u"', 'referencedRelation: "w"')) == [
        ("removed", "public.t", "1 relationship"),
        ("added", "public.t", "1 relationship"),
    ]


def test_it_tells_changes_by_table_and_column_what_may_break_first() -> None:
    head, todos = NEWER.split("      todos: {\n")
    todos = (
        todos.replace("note: string\n", "size: number\n", 1)
        .replace("title: null | string", "title: string")
        .replace("          id: number\n", "          id: number | bigint\n", 1)
        .replace("          id?: number\n", "          id: number\n", 1)
        .replace('        | "done"\n', "")
        .replace("since: string", "since: number")
    )
    new = f"{head}      todos: {{\n{todos}"
    assert told(OLD, new) == [
        ("removed", "public.todos", "column note"),
        ("narrowed", "public.state", "enum"),
        ("narrowed", "public.todos", "column id, now required on insert"),
        ("narrowed", "public.todos", "column title"),
        ("changed", "public.latest", "function"),
        ("widened", "public.todos", "column id"),
        ("added", "public.todos", "column size"),
    ]


def test_things_that_come_and_go() -> None:
    without = OLD.replace("      lists: { Row: { id: number }; Insert: { id?: number }; Update: { id?: number } }\n", "")
    assert told(OLD, without) == [("removed", "public.lists", "table")]
    assert told(without, OLD) == [("added", "public.lists", "table")]
    assert told(OLD, OLD.replace("  public:", "  other:")) == [
        ("removed", "public", "schema"),
        ("added", "other", "schema"),
    ]
    point = "export type Database = { public: { CompositeTypes: { point: { x: number; y: number } } } }"
    assert told(point, point.replace("y: number", "y: string")) == [("changed", "public.point", "column y")]
    assert Change("removed", "", "").may_break
    assert not Change("widened", "", "").may_break


def test_spaces_at_the_ends_of_lines_do_not_count() -> None:
    assert compare("\ufeff".strip("\ufeff") + OLD.replace("\n", "  \r\n") + "\n\n", OLD).is_same


@pytest.mark.parametrize(
    "source",
    [
        "",
        "hello",
        "export type Database = {",
        "export type Database = { public: {",
        "export type Database = }",
        "export interface Database { a: ] } > ;;; ,,",
        "export type Database = { public }",
        "export type Database = { [key",
    ],
)
def test_what_is_no_generated_file_declares_nothing_and_breaks_nothing(source: str) -> None:
    assert all(not items(schema, "Tables") for schema in schemas(source).values())
    assert preview(source).outline in ([], preview(source).outline)


@pytest.mark.parametrize("text", ["{ a }", "{ [key: string]: number }", "Array<string", "{ a: [", "( ) => void"])
def test_a_type_that_is_cut_off_or_no_object_is_compared_as_it_is(text: str) -> None:
    assert alternatives(text) == alternatives(f"  {text}  ")
    assert alternatives(text) != alternatives("string")


def test_deep_nesting_is_no_danger() -> None:
    schemas("export type Database = " + "{a:" * 20_000)
    schemas("export type Database = {a: " + "[" * 20_000)


def test_the_parts_are_the_whole_file() -> None:
    found = preview(NEWER)
    text = "".join(run.markup for part in found.parts for run in part.runs)
    assert text.count("\n") == NEWER.count("\n")
    assert [group.label for group in found.outline[0].groups] == ["Tables", "Functions", "Enums"]
    assert [part.name for part in found.outline[0].groups[0].parts] == ["lists", "todos"]


def test_a_search_finds_lines_and_their_parts() -> None:
    found = preview(NEWER, search="TITLE")
    assert [part.name for part in found.parts] == ["todos"]
    assert found.found == 3
    assert [run.hit for run in found.parts[0].runs] == [False, True, False, True, False, True, False]
    assert "title" in found.parts[0].runs[1].markup
    assert preview(NEWER, search="nowhere").parts == []


def test_what_is_too_much_for_a_page_is_not_drawn_but_searched() -> None:
    tables = "".join(f"      t{n}: {{ Row: {{ {'c' * 2000}: number }} }}\n" for n in range(400))
    large = OLD.replace("      todos", f"{tables}      todos")
    assert SHOWN_MAX_CHARACTERS < len(large) < 1_000_000
    found = preview(large)
    assert (found.hidden, found.parts) == (True, [])
    assert len(found.outline[0].groups[0].parts) == 402
    searched = preview(large, search="t3")
    assert not searched.hidden
    assert searched.more
    assert len(searched.parts) == PARTS_FOUND_MAX
    assert preview(large * 2).hidden
    assert compare(large * 2, OLD).is_unread
