"""Who may reach a Redis, and who is believed there: secrets, rights, addresses, strangers."""

from __future__ import annotations

import base64
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui.errors import SealError, SecretError, StoreError
from elicit_tui.store import redis_layout, redis_store
from elicit_tui.store.living import machine_id
from elicit_tui.store.redis_server import ACL_RIGHTS, RedisAddress
from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import SECRET, RedisProcess, free_ports
from tests.store.redis_pair import REDIS_THAT_FAILS, Start, goes, two, until
from tests.store.test_transitions import ASKED
from tests.store.world import ASKER, ME, answer, put, question, typed

pytestmark = [*REDIS_THAT_FAILS, pytest.mark.usefixtures("hurried")]


GUIDE = (Path(__file__).parents[2] / "docs" / "several-machines.md").read_text("utf-8")


async def test_another_secret_reads_nothing_and_leaves_the_question_open(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, _), two(redis, secret=b"x" * 32) as (_, stranger):
        waiting = await put(asking)
        (seen,) = await stranger.waiting()
        assert seen.unreadable == "It is sealed with another secret than this process has."
        with pytest.raises(SealError, match="another secret"):
            await stranger.answer(waiting.id, answer(waiting))
        assert not stranger.secret_is_the_first
        (still,) = await asking.waiting()
        assert (still.state, still.unreadable) == ("open", None)


HOSTILE_PROCESS = (
    b'{"number": %s, "began": %s, "machine": "%s", "role": "answerer", "last_key_at": %s}'
)


async def test_what_a_stranger_writes_into_redis_ends_nobody_and_hides_nothing(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        here = machine_id().encode()
        for number, entry in enumerate(
            (
                HOSTILE_PROCESS % (b"-1", b"0", here, b'"x"'),
                HOSTILE_PROCESS % (b'"x"', b"null", here, b"null"),
                HOSTILE_PROCESS % (b"1", b"1" + b"0" * 400, here, b"null"),
                b"[" * 100_000,
            )
        ):
            for key in ("processes", "sessions"):
                redis.command("HSET", f"et:{{index}}:{key}", b"\xff%d" % number, entry)
        of_session = f"et:{{{waiting.session}}}"
        for name, field in (("q:bad", b"\xff"), ("grants", b"[1]"), ("grants", b"3")):
            redis.command("HSET", f"{of_session}:{name}", field, b"x", "number", b"9" * 5_000)
        redis.command("HSET", f"{of_session}:q:\xff", "number", "x", "put_at", "nan")
        redis.command("ZADD", f"{of_session}:questions", 1, "bad", 2, b"\xff", 3, "\xff")
        for store in (asking, answering):
            await goes(store.heartbeat())
            assert [one.id for one in await goes(store.waiting())] == [waiting.id]
            assert await goes(store.grants()) == ()
            assert not await goes(store.somebody_is_there())
        assert [one.id for one in (await goes(answering.changes())).waiting] == [waiting.id]
        await goes(answering.answer(waiting.id, answer(waiting)))
        assert (await until(asking, 0, lambda one: one.state == "answered")).id == waiting.id


async def test_a_question_whose_id_a_stranger_holds_is_refused_and_not_tried_for_ever(
    start: Start,
) -> None:
    redis = start()
    asked = question()
    hash_of_it = f"et:{{{ASKER.session}}}:q:{asked.id}"
    async with two(redis) as (asking, _):
        redis.command("HSET", hash_of_it, "state", "open")
        with pytest.raises(StoreError, match="cannot be read"):
            await goes(put(asking, asked))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((name, b"frobnicated") for name in ("state", "kind", "agent_state", "decided_by")),
        *((name, b"frobnicated") for name in ("attempt", "put_at", "deadline", "action")),
        ("attempt", b"1.5"),
        ("put_at", b"nan"),
        ("deadline", b"-1"),
        ("settled_at", b"1e300"),
        ("server", b"\xff"),
    ],
)
def test_a_hash_with_a_column_that_is_not_of_its_type_is_no_question(
    column: str, value: bytes
) -> None:
    ours = {
        name.encode(): kept if isinstance(kept, bytes) else str(kept).encode()
        for name, kept in redis_layout.columns_of(ASKED).items()
    }
    assert redis_layout.question_in(ours) == ASKED
    assert redis_layout.question_in(ours | {column.encode(): value}) is None
    del ours[b"put_at"]
    assert redis_layout.question_in(ours) is None


async def test_a_redis_takes_a_secret_of_the_owners(start: Start) -> None:
    with pytest.raises(SecretError, match="elicit-tui store secret"):
        await RedisStore.open(start().url, "asker", secret=None)


def with_user(redis: RedisProcess, name: str, rights: str) -> str:
    """The address for a user of Redis with these rights."""
    redis.command("ACL", "SETUSER", name, "on", ">swordfish", *rights.split())
    return f"unix://{name}:swordfish@{redis.socket}"


async def test_the_rights_that_are_named_are_enough_for_all_of_it(start: Start) -> None:
    redis = start()
    url = with_user(redis, "elicit", ACL_RIGHTS)
    redis.command("ACL", "SETUSER", "default", "off")
    async with redis_store.server_at(url) as server:
        assert await redis_store.lacking_rights(server) == ()
    async with two(redis, url) as (asking, answering):
        asked = question()
        waiting = await put(asking, asked)
        number = (await answering.changes()).number
        await answering.claim(waiting.id, ME, typed("stag"))
        await answering.answer(waiting.id, answer(waiting))
        await asking.reopen(replace(asked, attempt=2))
        await answering.heartbeat()
        assert await answering.revoke() == 0
        await asking.end(ASKER.session)
        await until(answering, number, lambda one: one.state == "settled")


async def test_a_right_that_is_missing_is_named(start: Start) -> None:
    redis = start()
    url = with_user(redis, "poor", f"{ACL_RIGHTS} -zadd -xadd")
    async with redis_store.server_at(url) as server:
        assert await redis_store.lacking_rights(server) == ("ZADD", "XADD")
    with pytest.raises(StoreError, match="lacks a right that `elicit-tui store check` names"):
        await RedisStore.open(url, "asker", secret=SECRET)


async def test_a_wrong_password_is_said_at_once_and_never_told(start: Start) -> None:
    redis = start()
    with_user(redis, "elicit", ACL_RIGHTS)
    url = f"unix://elicit:wrong-one@{redis.socket}"
    with pytest.raises(StoreError, match="does not let this user in") as error:
        await RedisStore.open(url, "asker", secret=SECRET)
    assert "wrong-one" not in str(error.value)


async def test_a_password_that_was_changed_is_said_at_once(start: Start) -> None:
    redis = start()
    url = with_user(redis, "elicit", ACL_RIGHTS)
    store = await RedisStore.open(url, "asker", secret=SECRET)
    store.server.patience_sec = 1e9
    redis.command("ACL", "SETUSER", "elicit", "resetpass", ">another")
    redis.command("CLIENT", "KILL", "USER", "elicit")
    for work in (store.waiting(), store.heartbeat()):
        with pytest.raises(StoreError, match="does not let this user in"):
            await goes(work)
    await store.close()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://redis", "begins with redis://"),
        ("redis://h:notaport", "is no address"),
        ("rediss://h?ssl_cert_reqs=none", "unknown part 'ssl_cert_reqs'"),
        ("rediss://h?ssl_ca_certs=/nowhere/ca.pem", "there is no such file"),
        ("redis://:${NOWHERE}@h", "NOWHERE"),
        ("redis://:${EMPTY}@h", "EMPTY"),
        ("rediss://h?ssl_check_hostname=", "unknown part 'ssl_check_hostname'"),
        ("redis://h?db=1", "unknown part 'db'"),
        ("unix:///s?ssl_ca_certs=x", "unknown part 'ssl_ca_certs'"),
    ],
)
def test_an_address_that_cannot_be_used_is_said(url: str, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence.replace("$", r"\$").replace("{", r"\{")):
        RedisAddress.read(url, {"EMPTY": ""})


def test_an_address_is_shown_without_its_password() -> None:
    read = RedisAddress.read("rediss://elicit:${PASSWORD}@h:1", {"PASSWORD": "swordfish"})
    assert (read.shown, read.encrypted) == ("rediss://elicit@h:1", True)
    assert not RedisAddress.read("redis://far.example").encrypted
    for local in (
        "redis://localhost",
        "redis://127.0.0.1",
        "redis://[::1]",
        "redis:///",
        "unix:///s",
    ):
        assert RedisAddress.read(local).encrypted
    assert RedisAddress.read("redis:///").shown == "redis://localhost:6379"
    assert RedisAddress.read("unix:///run/s?db=2").shown == "unix:///run/s"


async def test_the_redis_of_the_guide_is_used_over_tls_and_its_certificate_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)

    for name in ("ca", "stranger"):
        subject = ("-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject)
    subject = ("-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    openssl("req", "-newkey", "rsa:2048", "-nodes", *subject)
    (tmp_path / "names").write_text("subjectAltName=DNS:localhost")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
    openssl("x509", "-req", "-in", "server.csr", "-days", "2", *signed, "-out", "server.pem")
    (port,) = free_ports(1)
    conf, users = re.findall(r"```conf\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "users.acl").write_text(users.replace("PASSWORD", "swordfish"))
    conf = conf.replace("/etc/redis", str(tmp_path)).replace("tls-port 6379", f"tls-port {port}")
    strict = conf.replace("tls-auth-clients no", "tls-auth-clients yes")
    (tmp_path / "redis.conf").write_text(f"{strict}save ''\n")
    redis = RedisProcess.with_configuration(tmp_path / "redis.conf")
    monkeypatch.setenv("REDIS_PASSWORD", "swordfish")
    own = f"ssl_certfile={tmp_path}/server.pem&ssl_keyfile={tmp_path}/server.key"
    url = f"rediss://elicit:${{REDIS_PASSWORD}}@localhost:{port}?ssl_ca_certs={tmp_path}"
    store = await RedisStore.open(f"{url}/ca.pem&{own}", "asker", secret=SECRET)
    await put(store)
    await store.close()
    for refused in (f"{url}/ca.pem", f"{url}/stranger.pem&{own}"):
        with pytest.raises(StoreError, match="cannot be reached"):
            await RedisStore.open(refused, "asker", secret=SECRET)
    redis.end()


def test_the_guide_names_the_rights_that_store_check_prints() -> None:
    assert f"user elicit on >PASSWORD {ACL_RIGHTS}\n" in GUIDE


def test_the_secret_is_written_as_it_is_read(tmp_path: Path) -> None:
    from elicit_tui.store.sealing import fresh_secret, secret_from, secret_in_file

    text = fresh_secret()
    file = tmp_path / "secret"
    file.write_text(text + "\n")
    file.chmod(0o600)
    assert secret_in_file(file) == secret_from("NAME", text) == base64.b64decode(text)
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(SecretError, match=r"store\.secret_file.*symbolic link") as error:
        secret_in_file(link)
    assert text not in str(error.value)
    file.write_text(text[:20])
    with pytest.raises(SecretError, match=r"store\.secret_file") as error:
        secret_in_file(file)
    assert text[:20] not in str(error.value)
