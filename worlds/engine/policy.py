"""Which SQL does a policy name, and which statements may be asked for at all?"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from worlds.engine.errors import DbError, WorldBug


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Functions of values alone: nothing about the connection, its files, the library or a full-text index. `match` is
#: of use only on a full-text table that may be read; `rand` is Django's `Random()`.
DEFAULT_FUNCTIONS = names("""
    avg count group_concat json_group_array json_group_object jsonb_group_array jsonb_group_object max median min
    percentile percentile_cont percentile_disc string_agg sum total
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
    char concat concat_ws format glob hex instr length like lower ltrim match octet_length printf quote replace rtrim
    substr substring trim unhex unicode unistr unistr_quote upper
    coalesce if ifnull iif likelihood likely nullif rand random randomblob typeof unlikely zeroblob
    -> ->> json json_array json_array_insert json_array_length json_error_position json_extract json_insert json_object
    json_patch json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert
    jsonb_extract jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
    abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow
    power radians round sign sin sinh sqrt tan tanh trunc
    current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch
""")
#: Readable beside the listed tables: the schema, and the table-valued functions that read only their arguments.
BUILTIN_TABLES = names("sqlite_master sqlite_schema json_each json_tree")
#: Pragmas that report and change nothing; only those about one table or index may be given a value, its name.
REPORTING_PRAGMAS = names("""
    application_id collation_list compile_options data_version database_list encoding foreign_key_check
    foreign_key_list foreign_keys freelist_count function_list index_info index_list index_xinfo module_list
    page_count page_size schema_version table_info table_list table_xinfo user_version
""")


def fold(name: str) -> str:
    """A name as SQLite compares it: ASCII letters in lower case, others as they are."""
    return name.encode().lower().decode()


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a statement may touch and use up.

    Shape: `tables` may be read, None is all of them; `writable` is a subset. A view shows what it reads only if that
           is listed too, since a WITH clause can take a view's name. Triggers and foreign keys look up and change
           what they like: they are the world's own doing.
    Units: `max_bytes` counts a result as JSON text. `max_memory_bytes` is what may pile up in SQLite, measured for
           the process, or in a result.
    """

    tables: frozenset[str] | None
    writable: frozenset[str] = frozenset()
    #: (schema, table) of databases that stand beside the main one; they may be read, and written where that may be.
    beside: frozenset[tuple[str, str]] = frozenset()
    functions: frozenset[str] = DEFAULT_FUNCTIONS
    builtins: frozenset[str] = BUILTIN_TABLES
    pragmas: frozenset[str] = frozenset()
    max_rows: int | None = None
    max_bytes: int | None = None
    max_value_bytes: int = 1_000_000
    max_sql_bytes: int = 100_000
    max_memory_bytes: int = 256_000_000
    time_limit_s: float = 5.0

    def __post_init__(self) -> None:
        for field in ("tables", "writable", "functions", "builtins", "pragmas"):
            if (names := getattr(self, field)) is not None:
                object.__setattr__(self, field, frozenset(map(fold, names)))
        if self.tables is not None and (unlisted := self.writable - self.tables):
            raise WorldBug(f"a policy lets {', '.join(sorted(unlisted))} be written but not read; add it to `tables`")

    def may_read(self, table: str, schema: str = "main") -> bool:
        if self.tables is None or (schema, fold(table)) in self.beside:
            return True
        return schema == "main" and fold(table) in self.tables | self.builtins

    def may_write(self, table: str, schema: str = "main") -> bool:
        if schema == "main":
            return fold(table) in self.writable
        return bool(self.writable) and (schema, fold(table)) in self.beside


def inspection_policy(time_limit_s: float) -> Policy:
    """For graders and people who look: everything may be read, nothing written."""
    functions = DEFAULT_FUNCTIONS | names("bm25 highlight snippet sqlite_version")
    policy = Policy(tables=None, functions=functions, pragmas=REPORTING_PRAGMAS, time_limit_s=time_limit_s)
    return replace(policy, max_value_bytes=100_000_000, max_memory_bytes=1_000_000_000)


def setup_policy(
    tables: Collection[str], beside: Collection[tuple[str, str]] = (), time_limit_s: float = 60.0
) -> Policy:
    """For `run_script`: the small edits that set one episode apart from the next."""
    folded = frozenset((schema, fold(table)) for schema, table in beside)
    return Policy(tables=frozenset(tables), beside=folded, max_sql_bytes=1_000_000, time_limit_s=time_limit_s)


_WORDING = {"read": "read table {}", "write": "write table {}", "function": "call function {}", "time": "run over {}"}


def refused(kind: str, name: str) -> DbError:
    return DbError(f"not allowed: {_WORDING.get(kind, '{}').format(name)}", refusals=[{"kind": kind, "name": name}])


def refusal_kind(error: BaseException) -> str | None:
    """The kind of the first refusal in a DbError; None where no policy refused anything."""
    return error.refusals[0]["kind"] if isinstance(error, DbError) and error.refusals else None


_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n\f\r]+ | --[^\n]* | /\*.*?(?:\*/|\Z))
    | (?P<end>;)
    | (?P<word>[\w\x80-\U0010ffff][\w$\x80-\U0010ffff]*)
    | [$@:\#](?:[\w$\x80-\U0010ffff]|::)*(?:\([^ \t\n\f\r)]*\)?)?
    | '[^']*(?:'|\Z) | "[^"]*(?:"|\Z) | `[^`]*(?:`|\Z) | \[[^\]]*(?:\]|\Z)
    | .""",
    re.DOTALL | re.VERBOSE,
)
#: What a statement may not begin with. The authorizer would refuse these too, in words that say less.
_OTHER_VERBS = names("""
    alter analyze attach begin commit create detach drop end pragma reindex release rollback savepoint vacuum
""")


def split(sql: str) -> list[str]:
    """The statements of a script, without their semicolons; nothing but comments is no statement."""
    found, start, blank = [], 0, True
    for token in _TOKEN.finditer(sql):
        if token.lastgroup == "end":
            if not blank:
                found.append(sql[start : token.start()].strip())
            start, blank = token.end(), True
        elif token.lastgroup != "blank":
            blank = False
    return found if blank else [*found, sql[start:].strip()]


def one_statement(sql: str, policy: Policy) -> tuple[str, list[str]]:
    """The statement in `sql` and its words outside quotes, if it is one that may be asked for at all."""
    if re.search("[\0\ud800-\udfff]", sql):
        raise refused("statement", "a character that is no text")
    if len(sql.encode()) > policy.max_sql_bytes:
        raise refused("statement", f"a statement longer than {policy.max_sql_bytes} bytes")
    statements = split(sql)
    if len(statements) != 1:
        raise refused("statement", "more than one statement" if statements else "an empty query")
    words = [fold(token[0]) for token in _TOKEN.finditer(statements[0]) if token.lastgroup == "word"] or [""]
    if words[0] == "explain":
        raise refused("statement", "EXPLAIN")
    if words[0] in _OTHER_VERBS and not (words[0] == "pragma" and policy.pragmas):
        raise refused("action", " ".join(words[: 2 if words[0] in ("alter", "create", "drop") else 1]).upper())
    return statements[0], words
