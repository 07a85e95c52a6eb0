"""A name that an agent was told means one server's entry, whatever is remembered or listed."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from elicit_tui.gateway import names
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.names import PublicNames, with_digest
from elicit_tui.gateway.offers import ORIGIN_META_KEY, SessionOffers
from tests.gateway.test_hostile_servers import said, tool, tools
from tests.gateway.world import HANDSHAKE, fragments, text_of, until, world

pytestmark = pytest.mark.anyio

LISTED = Catalogue(tools=[{"name": "find", "inputSchema": {"type": "object"}}])


def colliding(server: str, other: str) -> tuple[str, str]:
    """A tool of each server, so that both are the same name with a short digest."""
    # Equal where it is cut: what stands before the digest comes from here.
    beginning = "x" * 60
    seen = {with_digest((server, f"{beginning}{n}"))[-2:]: n for n in range(2000)}
    for n in itertools.count():
        if (end := with_digest((other, f"{beginning}{n}"))[-2:]) in seen:
            return f"{beginning}{seen[end]}", f"{beginning}{n}"
    raise AssertionError


@pytest.fixture
def short_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two characters, and no room for the server's name: a collision is found in no time."""
    monkeypatch.setattr(names, "DIGEST_CHARACTERS", 2)
    monkeypatch.setattr(names, "MOST_CHARACTERS", 3)


@pytest.mark.usefixtures("short_digests")
def test_of_two_names_with_one_digest_neither_is_offered() -> None:
    own, others = colliding("s", "sly")
    assert PublicNames(prefix=True).of([("s", own), ("sly", others)]) == {}


@pytest.mark.usefixtures("short_digests")
def test_a_name_that_is_given_is_not_taken_by_one_that_comes_later() -> None:
    own, others = colliding("s", "sly")
    given = PublicNames(prefix=True)
    (name,) = given.of([("s", own)]).values()
    assert given.of([("sly", others), ("s", own)]) == {("s", own): name}
    assert given.of([("sly", others)]) == {}
    assert given.origin(name) == ("s", own)


@pytest.mark.usefixtures("short_digests")
async def test_a_call_never_reaches_the_server_whose_tool_has_the_same_digest(
    tmp_path: Path,
) -> None:
    own, others = colliding("bad", "sly")
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    good = fragments(first, {"tools/list": tools(tool(own)), f"tools/call {own}": said("mine")})
    sly = fragments(
        second, {"tools/list": tools(tool(others)), f"tools/call {others}": said("sly")}
    )
    sly = ServerSettings("sly", command=sly.command, args=sly.args)
    async with world(good, sly) as here:
        listed = [each.name for each in (await here.agent.list_tools()).tools]
        assert len(listed) == len(set(listed)) == 3  # our own
        assert text_of(await here.calls(with_digest(("bad", own)))).startswith("Unknown tool")
        assert sum("is not offered: its name means another one" in line for line in here.told) == 2


def test_a_digest_is_too_long_to_be_found_by_search() -> None:
    assert names.DIGEST_CHARACTERS * 5 >= 80
    assert with_digest(("a", "b"))[-names.DIGEST_CHARACTERS :].isalnum()


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a", "b__c"), ("a__b", "c")),
        (("a_", "b"), ("a", "_b")),
        (("a", "get.it"), ("a", "get/it")),
        (("a", "get.it"), ("a", "get_it")),
        (("a", "b__c"), ("b", "c")),
    ],
)
def test_a_name_is_the_same_in_each_session_whatever_comes_first(
    first: tuple[str, str], second: tuple[str, str], prefix: bool
) -> None:
    one = PublicNames(prefix=prefix).of([first, second])
    other = PublicNames(prefix=prefix)
    assert {**other.of([second]), **other.of([first])} == one
    assert len(set(one.values())) == 2
    assert not any(set(name) & {".", "/"} for name in one.values())


LONG = "x" * 44
DIGESTED = "with a digest"


@pytest.mark.parametrize(
    ("listed", "named"),
    [
        ([("a", "find")], ["find"]),
        ([("a", "find"), ("b", "find")], ["a__find", "b__find"]),
        ([("a", "taken")], ["a__taken"]),
        ([("a", "get.it")], [DIGESTED]),
        ([("a", LONG)], [LONG]),
        ([("a", LONG + "xx")], [LONG + "xx"]),
        ([("a", LONG + "xxx")], [DIGESTED]),
        ([("a", LONG), ("b", LONG)], [DIGESTED, DIGESTED]),
        ([("a_", "find"), ("b", "find")], [DIGESTED, "b__find"]),
        ([("a__b", "find"), ("b", "find")], [DIGESTED, "b__find"]),
        # What another one's name would be by itself: neither of the two gets it.
        ([("a", "find"), ("b", "find"), ("c", "a__find")], [DIGESTED, "b__find", DIGESTED]),
        ([("a", "")], ["a__"]),
    ],
)
def test_without_a_prefix_a_name_stays_where_it_can(
    listed: list[tuple[str, str]], named: list[str]
) -> None:
    given = PublicNames(prefix=False, taken={"taken"})
    wanted = [
        with_digest(origin) if name == DIGESTED else name
        for origin, name in zip(listed, named, strict=True)
    ]
    assert given.of(listed) == dict(zip(listed, wanted, strict=True))
    assert [given.origin(name) for name in wanted] == listed


def test_a_name_that_was_given_is_not_given_to_whoever_would_bear_it_by_itself() -> None:
    given = PublicNames(prefix=False)
    shared = given.of([("a", "find"), ("b", "find")])
    assert shared["a", "find"] == "a__find"
    assert given.of([("c", "a__find")]) == {("c", "a__find"): "c__a__find"}


def test_a_prefix_stands_before_each_name() -> None:
    given = PublicNames(prefix=True, taken={"a__taken"})
    assert given.of([("a", "find"), ("a", "taken")]) == {
        ("a", "find"): "a__find",
        ("a", "taken"): with_digest(("a", "taken")),
    }


def test_a_server_that_lists_other_names_each_time_is_given_no_more_than_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names, "MOST_NAMES", 2)
    given = PublicNames(prefix=True)
    assert len(given.of([("a", f"{number}") for number in range(3)])) == 2
    assert given.of([("a", "new"), ("a", "0")]) == {("a", "0"): "a__0"}


def offering(tool: dict[str, Any]) -> SessionOffers:
    offered = SessionOffers({"a": ServerSettings("a", command="x")}, prefix=True)
    offered.put("a", Catalogue(tools=[{"inputSchema": {"type": "object"}, **tool}]))
    return offered


def test_two_agents_of_one_session_are_each_offered_what_they_can_read() -> None:
    offered = offering({"name": "find", "outputSchema": {"type": "object"}})
    for whole in (True, False, True):
        (shown,) = offered.offers((), output_schemas=whole).tools
        assert ("outputSchema" in shown) is whole


def test_a_tool_that_its_owner_took_away_is_not_listed() -> None:
    chosen: dict[str, Any] = {"enabled_tools": ("a", "b"), "disabled_tools": ("b",)}
    offered = SessionOffers({"s": ServerSettings("s", command="x", **chosen)}, prefix=True)
    offered.put("s", Catalogue(tools=[{"name": name} for name in "abc"]))
    assert offered.offers((), output_schemas=False).tool_origins == {"s__a": ("s", "a")}


def test_no_server_says_itself_whose_its_tool_is() -> None:
    forged = {ORIGIN_META_KEY: {"server": "trusted", "name": "other"}, "its own": 1}
    (shown,) = offering({"name": "find", "_meta": forged}).offers((), output_schemas=True).tools
    assert shown["_meta"] == {"its own": 1, ORIGIN_META_KEY: {"server": "a", "name": "find"}}


def test_what_is_listed_later_takes_no_name_from_what_was_listed_first() -> None:
    servers = {name: ServerSettings(name, command="x") for name in ("a", "b")}
    offered = SessionOffers(servers, prefix=False)
    offered.put("b", Catalogue(LISTED.tools, resources=[{"uri": "x://1", "name": "of b"}]))
    assert offered.offers((), output_schemas=True).tool_origins == {"find": ("b", "find")}
    offered.put("a", Catalogue(LISTED.tools, resources=[{"uri": "x://1", "name": "of a"}]))
    now = offered.offers((), output_schemas=True)
    assert now.tool_origins == {"find": ("b", "find"), "a__find": ("a", "find")}
    assert now.server_of("x://1") == "b"
    offered.put("b", Catalogue())
    gone = offered.offers((), output_schemas=True)
    assert gone.tool_origins == {"a__find": ("a", "find")}
    assert gone.server_of("x://1") is None
    assert offered.tool("find") == ("b", "find")


# What is remembered


async def test_a_remembered_tool_that_its_server_has_no_more_is_not_called(
    tmp_path: Path, upwards: str
) -> None:
    answers = {"tools/list": tools(tool("good")), "tools/call gone": said("called")}
    server = fragments(tmp_path, answers)
    files = CatalogueFiles(tmp_path / "catalogues")
    files.write(server, Catalogue(tools=[{"name": "gone", "inputSchema": {"type": "object"}}]))
    async with world(server, upwards=upwards, files=files) as here:
        assert "bad__gone" in {each.name for each in (await here.agent.list_tools()).tools}
        assert text_of(await here.calls("bad__gone")).startswith("Unknown tool")


async def test_a_call_is_judged_by_the_live_definition_and_not_by_what_is_remembered(
    tmp_path: Path,
) -> None:
    dangerous = '{"name": "wipe", "inputSchema": {"type": "object"}, "annotations": '
    dangerous += '{"destructiveHint": true}}'
    answers = {"tools/list": tools(dangerous), "tools/call wipe": said("wiped")}
    server = fragments(tmp_path, answers)
    harmless = {"name": "wipe", "inputSchema": {}, "annotations": {"readOnlyHint": True}}
    files = CatalogueFiles(tmp_path / "catalogues")
    files.write(server, Catalogue(tools=[harmless]))
    settings = GatewaySettings(ask_via="console")
    async with world(server, upwards=HANDSHAKE, files=files, gateway=settings) as here:
        calling = here.begins("bad__wipe")
        question = await here.person.question()
        assert question.request.kind == "approval"
        calling.cancel()


def of(**more: Any) -> ServerSettings:
    return ServerSettings("docs", command="x", **more)


@pytest.mark.parametrize(
    "other",
    [
        of(env={"ACCOUNT": "other"}),
        of(args=("--all",)),
        of(cwd="/"),
        of(protocol="2026-07-28"),
        of(elicitations="off"),
        ServerSettings("other", command="x"),
        ServerSettings("docs", url="https://docs.example", http_headers={"X-Account": "1"}),
    ],
    ids=str,
)
def test_a_server_that_is_started_otherwise_is_another_one(
    tmp_path: Path, other: ServerSettings
) -> None:
    files = CatalogueFiles(tmp_path)
    files.write(of(), LISTED)
    assert files.read(of()) == LISTED
    assert files.read(other) is None


def test_another_token_is_another_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = CatalogueFiles(tmp_path)
    server = ServerSettings("docs", url="https://docs.example", bearer_token_env_var="TOKEN")
    monkeypatch.setenv("TOKEN", "one")
    files.write(server, LISTED)
    monkeypatch.setenv("TOKEN", "two")
    assert files.read(server) is None


def test_no_secret_of_the_configuration_stands_on_disk(tmp_path: Path) -> None:
    files = CatalogueFiles(tmp_path)
    files.write(of(env={"KEY": "hunter2hunter2"}), LISTED)
    for path in tmp_path.iterdir():
        assert b"hunter2" not in path.read_bytes() + path.name.encode()
        assert path.stat().st_mode & 0o077 == 0


def tampered(folder: Path, how: str) -> None:
    """Do something to the one catalogue in this folder."""
    (path,) = folder.glob("*.json")
    digest, _, body = path.read_bytes().partition(b"\n")
    if how == "another tool":
        path.write_bytes(digest + b"\n" + body.replace(b"find", b"wipe"))
    elif how == "half of it":
        path.write_bytes(path.read_bytes()[:-10])
    elif how == "nothing":
        path.write_bytes(b"")
    elif how == "no text":
        path.write_bytes(b"\xff\xfe" * 50)
    elif how == "deep":
        path.write_bytes(digest + b"\n" + b"[" * 100_000)
    elif how == "readable by others":
        path.chmod(0o644)
    elif how == "a link":
        path.rename(folder / "elsewhere")
        path.symlink_to(folder / "elsewhere")
    elif how == "a pipe":
        path.unlink()
        os.mkfifo(path, 0o600)
    elif how == "another key":
        (folder / "key").write_bytes(b"k" * 32)
    elif how == "half a key":
        (folder / "key").write_bytes(b"k")
    elif how == "no key":
        (folder / "key").unlink()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
def test_a_catalogue_that_belongs_to_somebody_else_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, server = CatalogueFiles(tmp_path), of()
    files.write(server, LISTED)
    assert files.read(server) is not None
    another = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: another)
    assert CatalogueFiles(tmp_path).read(server) is None


@pytest.mark.parametrize(
    "how",
    [
        "another tool",
        "half of it",
        "nothing",
        "no text",
        "deep",
        "readable by others",
        "a link",
        "a pipe",
        "another key",
        "half a key",
        "no key",
    ],
)
def test_a_file_that_is_not_as_it_was_written_counts_for_nothing_and_is_written_anew(
    tmp_path: Path, how: str
) -> None:
    files = CatalogueFiles(tmp_path)
    files.write(of(), LISTED)
    tampered(tmp_path, how)
    assert files.read(of()) is None
    files.write(of(), LISTED)
    assert files.read(of()) == LISTED


def test_a_server_that_lists_so_much_that_every_start_would_be_slow_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.catalogue.MOST_BYTES", 1000)
    files = CatalogueFiles(tmp_path)
    files.write(of(), LISTED)
    files.write(of(), Catalogue(instructions="x" * 1000))
    assert files.read(of()) is None
    assert not list(tmp_path.glob("*.json"))


def test_one_servers_file_under_the_name_of_another_counts_for_nothing(tmp_path: Path) -> None:
    files = CatalogueFiles(tmp_path)
    files.write(of(), LISTED)
    (mine,) = tmp_path.glob("*.json")
    content = mine.read_bytes()
    mine.unlink()
    files.write(of(args=("other",)), Catalogue())
    (others,) = tmp_path.glob("*.json")
    others.write_bytes(content)
    assert files.read(of(args=("other",))) is None


def test_numbers_are_remembered_as_they_were_spelled(tmp_path: Path) -> None:
    from elicit_tui.host.number_text import json_line, read_float

    text = '{"name":"a","x":[1.10,1e400,12345678901234567890]}'
    entry = json.loads(text, parse_float=read_float)
    files = CatalogueFiles(tmp_path)
    files.write(of(), Catalogue(tools=[entry]))
    kept = files.read(of())
    assert kept is not None
    assert json_line(kept.tools[0]).decode().strip() == text


def test_the_servers_that_were_seen_last_are_remembered_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.catalogue.MOST_FILES", 3)
    files = CatalogueFiles(tmp_path)
    for number in range(5):
        files.write(of(args=(str(number),)), LISTED)
        for path in tmp_path.glob("*.json"):
            os.utime(path, (path.stat().st_mtime - 10,) * 2)
    assert len(list(tmp_path.glob("*.json"))) == 3
    assert files.read(of(args=("4",))) == LISTED
    assert files.read(of(args=("0",))) is None


WRITE_OFTEN = """
import sys
from pathlib import Path
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
for _ in range(20):
    catalogue = Catalogue(instructions=sys.argv[2] * 10_000)
    CatalogueFiles(Path(sys.argv[1])).write(ServerSettings("docs", command="x"), catalogue)
"""


def test_two_processes_that_write_at_once_leave_one_whole_catalogue(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE_OFTEN, str(tmp_path)]
    writers = [subprocess.Popen([*command, text]) for text in "ab"]
    files = CatalogueFiles(tmp_path)
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if (kept := files.read(of())) is not None:
            seen.add(kept.instructions)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {"a" * 10_000, "b" * 10_000}
    assert files.read(of()) is not None


async def test_a_start_finds_what_an_agent_was_offered_before(tmp_path: Path) -> None:
    answers = {"tools/list": tools(tool("good")), "tools/call good": said("called")}
    server = fragments(tmp_path, answers)
    files = CatalogueFiles(tmp_path / "catalogues")
    async with world(server, files=files) as here:
        assert text_of(await here.calls("bad__good")) == "called"
    again = SessionOffers({"bad": server}, prefix=True)
    assert again.unseen == ["bad"]
    kept = files.read(server)
    assert kept is not None
    again.put("bad", kept)
    assert list(again.offers((), output_schemas=True).tool_origins) == ["bad__good"]


async def test_what_is_remembered_of_a_server_outlives_its_end_while_it_is_asked(
    tmp_path: Path,
) -> None:
    server = fragments(tmp_path, {"tools/list": ""})
    files = CatalogueFiles(tmp_path / "catalogues")
    files.write(server, LISTED)
    async with world(server, files=files) as here:
        last = "The resource templates of bad could not be listed"
        await until(lambda: any(sentence.startswith(last) for sentence in here.told))
        assert "bad__find" in {each.name for each in (await here.agent.list_tools()).tools}
    assert files.read(server) == LISTED
