// Tests of users that go wrong in every way that a fixture meets, for venues.int.test.ts: in their setup, in their teardown, and while processes die.

/** The names of the tests whose journals have to be there after it. */
export const PYTEST_FAILING = ['a_process_dies', 'names-', 'names-', 'setup', 'teardown'];

export const PYTEST = `
import glob, json, os, signal
import pytest


def pid_of(name):
    [file] = glob.glob(f"{os.environ['TMPDIR']}/paper-ci-*/run/{name}.json")
    with open(file) as record:
        return json.load(record)["pid"]


@pytest.fixture
def breaks_before(paper):
    raise ValueError("in its setup")


@pytest.fixture
def breaks_after(paper):
    yield
    raise ValueError("in its teardown")


def test_passes(paper):
    assert not os.path.exists("journals/test_faults.py-test_passes.jsonl")


@pytest.mark.xfail
def test_is_expected_to_fail(paper):
    assert False


@pytest.mark.skip
def test_is_skipped(paper):
    assert False


def test_setup(breaks_before):
    pass


def test_a_process_dies(paper):
    os.kill(pid_of("exchange"), signal.SIGKILL)
    assert False


@pytest.mark.parametrize("word", ["\\u00e4", "\\u00f6"], ids=lambda word: f"<{ord(word)}>")
def test_names(paper, word):
    assert False


def test_teardown(breaks_after):
    pass
`;

/** bin/start itself is killed: it cannot clean up, and the tests that follow have no exchange. */
export const PYTEST_KILLED = `
import os, signal
import pytest


def test_kills_it(paper):
    os.kill(paper._process.pid, signal.SIGKILL)
    paper._process.wait()
    paper.control("setPrice", coin="BTC", px="60000")


def test_comes_after(paper):
    pass
`;

/** Waits for its end. */
export const PYTEST_HANGING = `
import time


def test_hangs(paper_venue):
    open("hangs", "w").close()
    time.sleep(3600)
`;

/** The journals that have to be there after it. */
export const MOCHA_FAILING = ['before-is-not-run', 'fails', 'inner-has-a-teardown', 'last-behind'].map(
  (title) => `bot--faults.mjs-faults-${title}`,
);

/** It hangs before its end, if \`HANGS\` names a file that says so. */
export const MOCHA = `
import { existsSync, writeFileSync } from 'node:fs';
import { usePaper } from 'paper-perps/mocha';

describe('faults', () => {
  const paper = usePaper();
  afterEach(function () {
    if (this.currentTest.title === 'behind') throw new Error('in its teardown');
  });

  it('passes', () => paper().requireRunning());
  it('is skipped', function () {
    this.skip();
  });
  it('fails', () => {
    throw new Error('itself');
  });
  describe('before', () => {
    beforeEach(() => {
      throw new Error('in its setup');
    });
    it('is not run', () => undefined);
  });
  describe('inner', () => {
    afterEach(() => {
      throw new Error('in its teardown');
    });
    it('has a teardown', () => undefined);
  });
  describe('hangs', () => {
    it('for ever', function (done) {
      if (process.env.HANGS === undefined) return done();
      this.timeout(600_000);
      writeFileSync(process.env.HANGS, '');
    });
  });
  describe('last', () => {
    it('behind', () => undefined);
  });
});
`;

/** A bin/start that is ready at once, without an exchange; it says how it was ended. */
export const READY_AT_ONCE = `#!/usr/bin/env node
const { writeFileSync } = require('node:fs');
const end = (how) => { writeFileSync(process.env.ENDED, how); process.exit(0); };
process.on('SIGTERM', () => end('SIGTERM'));
process.on('SIGINT', () => end('SIGINT'));
process.stdin.resume().on('close', () => end('stdin'));
console.log(JSON.stringify({ exchangeUrl: 'http://127.0.0.1:9/v1/exchanges/perpx/key/pe_none' }));
`;

/** An exchange that is never ready, and an exchange that prints something else. */
export const NEVER_READY = '#!/bin/sh\necho "still at it" >&2\nexec sleep 3600\n';
export const PRINTS_ELSE = '#!/bin/sh\necho "npm notice"\nexec sleep 3600\n';
