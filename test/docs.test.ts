// The pages predict the code: every file and symbol that a page names exists, once, and every list and order on a
// page is that of the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { REJECTIONS } from '../src/actors/core/messages/rejection.ts';
import { errorsOf } from '../src/api/contract/errorResponses.ts';
import { actionTypes } from '../src/api/exchange/runAction.ts';
import { infoTypes } from '../src/api/info/answerInfo.ts';
import { allEndpoints } from '../src/api/registry.ts';
import { privateChannels, publicChannels } from '../src/api/stream/allChannels.ts';
import { closeCodes } from '../src/api/stream/channel/channel.ts';
import { ALERT_KINDS } from '../src/features/alerts/rules/alertKinds.ts';
import { jobsOf } from '../src/jobs/role.ts';
import { COMMANDS, USAGE } from '../src/operators/commands.ts';
import { readConfig } from '../src/shared/config/config.ts';
import { REBATE_TIERS, VOLUME_TIERS } from '../src/shared/domain/fees.ts';
import { plans } from '../src/shared/domain/plan.ts';
import { collections } from '../src/shared/mongo/mongo.ts';
import * as keys from '../src/shared/redis/keys.ts';
import { filesBelow } from './rules/ruleMap.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const tree = ['src', 'test', 'bench', 'tools', 'docs'].flatMap((folder) => filesBelow(root, folder, /./));
const sources = tree.filter((file) => /^(?:src|test|tools)\/.*\.(?:ts|mjs)$/.test(file));
const errors = read('docs/errors.md');

/** Files that `bin/start` or a reader makes, or that stand at the top of the checkout. */
const MADE_LATER: ReadonlySet<string> = new Set([
  'demo.json',
  'demo.before.json',
  'first.mjs',
  'found.json',
  'manifest.json',
  'secrets.json',
  'var/sbom.cdx.json',
  'main.js',
  '.env.example',
]);

describe('every file that a page names is there', () => {
  for (const page of pages) {
    it(page, () => {
      const named = codeOf(read(page)).flatMap(expand).filter(isFile);
      expect(named.filter((name) => !MADE_LATER.has(name) && filesNamed(name) !== 1)).to.deep.equal([]);
    });

    it(`${page}: and every folder`, () => {
      const named = codeOf(read(page)).filter((name) => /^(?:src|test|bench|tools|docs)(?:\/[\w-]+)*\/?$/.test(name));
      expect(named.filter((name) => !existsSync(join(root, name)))).to.deep.equal([]);
    });
  }
});

describe('every command of bin/admin that a page names is there', () => {
  const usage = USAGE.split('\n');
  const isCommand = (words: string): boolean => usage.some((line) => `${line} `.startsWith(`  ${words} `));

  for (const page of pages) {
    it(page, () => {
      const named = codeOf(read(page)).flatMap(
        (code) => /^bin\/admin(?: --data \S+)?((?: [a-z][a-z-]*)+)/.exec(code)?.slice(1) ?? [],
      );
      expect(named.filter((words) => !isCommand(words.trim()))).to.deep.equal([]);
    });
  }
});

describe('every symbol that architecture.md and recipes.md name is there', () => {
  const texts = sources.map(read);
  for (const page of ['docs/architecture.md', 'docs/recipes.md']) {
    it(page, () => {
      const named = codeOf(read(page)).flatMap((code) => /^([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b/.exec(code)?.slice(1) ?? []);
      expect(named).not.to.deep.equal([]);
      const missing = named.filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
      expect(missing.filter((name) => !tree.some((file) => basename(file).startsWith(`${name}.`)))).to.deep.equal([]);
    });
  }
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  it('has the folders of the trading rules in the order that the boundary check enforces', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
    const [, floors = ''] = /^export const FLOORS = \[([^\]]*)\]/m.exec(read('tools/checks/floors.mjs')) ?? [];
    expect(rows).to.deep.equal(floors.match(/\w+/g));
  });

  for (const folder of ['src', 'src/actors']) {
    it(`names every folder of ${folder}`, () => {
      const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
      for (const { name } of folders) expect(page).to.include(`\`${folder}/${name}\``);
    });
  }

  for (const folder of ['src/api', 'src/api/stream']) {
    it(`names every group of ${folder}`, () => {
      const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
      for (const { name } of folders.filter((entry) => entry.name !== 'domain'))
        expect(page.includes(`\`${name}/\``) || page.includes(`\`${folder}/${name}\``), name).to.equal(true);
    });
  }
});

describe('docs/errors.md gives the order of the checks', () => {
  const limits = read('src/features/limits/rules/limitTable.ts');
  const reasons = Object.keys(REJECTIONS);
  const onPage = [...errors.matchAll(/^\| `(\w+)` \| `\w+` \|/gm)].map(([, reason = '']) => reason);
  const form = lastPlaces(checked('checkForm').filter((reason) => reason !== 'unknownAsset'));
  const isOfCap = (reason: string): boolean => reason.startsWith('openInterest');
  const margin = lastPlaces(checked('checkMargin').filter((reason) => !isOfCap(reason)));
  const cap = checked('checkMargin').filter(isOfCap);
  const before = [...limits.matchAll(/\breason: '(\w+)'/g)].map(([, reason = '']) => reason);
  const order = lastPlaces(checked('checkOrder').flatMap((reason) => ({ verdict: margin, capped: cap })[reason] ?? [reason]));
  const trigger = lastPlaces(checked('checkTrigger'));
  /** Given by the file that finds the asset, and by the fired trigger in place of another. */
  const elsewhere = ['unknownAsset', 'noLiquidity'];
  /** Given by failure labs alone. */
  const drawn = ['postOnlyAfterUpgrade'];

  it('the table of reasons has that order', () => expect(reasons).to.deep.equal(onPage));

  it('the page explains each reason below, in the same order', () => {
    const explained = [...errors.matchAll(/^- `(\w+)`: /gm)].map(([, reason]) => reason);
    expect(explained).to.deep.equal(onPage);
  });

  it('limits of the key, house rules, form, then the market, for a limit order', () => {
    const limit = onPage.filter((reason) => ![...elsewhere, ...drawn].includes(reason) && !trigger.slice(0, 1).includes(reason));
    expect([...before, ...form, ...order]).to.deep.equal(limit);
  });

  it('limits of the key, house rules, form, then its prices, for a trigger order', () => {
    const inOrder = [...before, ...form, ...trigger];
    expect(inOrder).to.deep.equal(onPage.filter((reason) => inOrder.includes(reason)));
    expect(trigger[0]).to.equal('badTriggerPrice');
  });

  it('the asset comes first, and a fired trigger finds no liquidity where an order matches nothing', () => {
    expect(onPage[0]).to.equal('unknownAsset');
    expect(onPage.indexOf('noLiquidity')).to.equal(onPage.indexOf('nothingToMatch') + 1);
    for (const reason of elsewhere) expect(sources.some((file) => read(file).includes(`rejection('${reason}'`))).to.equal(true);
  });

  /** Reasons as a file of the checks gives them, in the order of its text; the variable's name where it passes one on. */
  function checked(file: string): string[] {
    const text = read(`src/actors/core/checks/${file}.ts`);
    const given = /rejection\((?:'(\w+)'|(verdict|capped)\b)|(?:return|[?:]) '(tierLimit|insufficientMargin|openInterest\w+)'/g;
    return [...text.matchAll(given)].map(([, reason, passedOn, verdict]) => reason ?? verdict ?? passedOn ?? '');
  }

  /** A reason that is given twice stands where it is given last. */
  function lastPlaces(found: readonly string[]): string[] {
    return found.filter((reason, index) => found.lastIndexOf(reason) === index);
  }
});

describe('docs/operations.md', () => {
  const page = read('docs/operations.md');

  it('has the roles of main.ts', () => {
    const [, text = ''] = /^const roles = \{\n([^}]*)\} satisfies/m.exec(read('src/main.ts')) ?? [];
    const roles = [...text.matchAll(/^ {2}(\w+): async/gm)].map(([, name]) => name);
    expect(firstColumn(sectionOf(page, '## Roles'))).to.have.members(roles);
  });

  it('has the jobs in the order of jobs.ts', () => {
    expect(firstColumn(sectionOf(page, '### Jobs'))).to.deep.equal(jobsOf(readConfig({})).map(({ name }) => name));
  });
});

describe('docs/admin.md', () => {
  it('has the operators’ commands', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(names.length).to.be.above(0);
    const onPage = firstColumn(sectionOf(read('docs/admin.md'), '## Commands'));
    for (const name of names)
      expect(
        onPage.some((command) => command === name || command.startsWith(`${name} `)),
        name,
      ).to.equal(true);
    for (const command of onPage)
      expect(
        names.some((name) => command.startsWith(name)),
        command,
      ).to.equal(true);
  });
});

describe('docs/watching.md', () => {
  it('names metrics that the code makes', () => {
    const inTables = [...read('docs/watching.md').matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => codeOf(cell));
    const named = inTables.map((code) => code.replace(/\{.*/, '')).filter((code) => /^[a-z]+_[a-z_]+$/.test(code));
    const texts = sources.filter((file) => file.startsWith('src/')).map(read);
    expect(named.length).to.be.above(40);
    expect(named.filter((name) => !texts.some((text) => text.includes(`'${name}'`)))).to.deep.equal([]);
  });
});

describe('docs/errors.md', () => {
  it('has every code of the contract with its statuses, and no other', () => {
    const inContract = new Map<string, Set<string>>();
    for (const endpoint of allEndpoints({ hasTestPayments: true, hasDashboard: true, hasControl: true }))
      for (const [status, codes] of Object.entries(errorsOf(endpoint)))
        for (const code of codes) inContract.set(code, (inContract.get(code) ?? new Set()).add(status));
    const onPage = new Map<string, Set<string>>();
    for (const [, codes = '', statuses = ''] of errors.matchAll(/^\| (`[a-z_`, ]+`) \| ([\d, ]+) \|/gm)) {
      const all = statuses.split(', ');
      for (const [at, [, code = '']] of [...codes.matchAll(/`(\w+)`/g)].entries())
        onPage.set(code, new Set(all.length > 1 ? [all[at] ?? ''] : all));
    }
    expect(onPage.size).to.be.above(50);
    expect([...onPage.keys()]).to.have.members([...inContract.keys()]);
    for (const [code, statuses] of inContract) expect([...(onPage.get(code) ?? [])], code).to.have.members([...statuses]);
  });
});

describe('docs/rules/trading-rules/7-fees.md', () => {
  it('has the tiers and the rebates', () => {
    const rows = [
      ...read('docs/rules/trading-rules/7-fees.md').matchAll(
        /^\| [1-9] \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \|(?: \| \d \| (\S+) \|)?/gm,
      ),
    ];
    const tiers = VOLUME_TIERS.map(({ above, taker, maker }) => [above, taker, maker].map((rate) => rate.toFixed()));
    expect(rows.map(([, above = '', taker, maker]) => [above.replaceAll(',', ''), taker, maker])).to.deep.equal(tiers);
    const rebates = REBATE_TIERS.map(({ maker }) => maker.toFixed());
    expect(rows.flatMap(([, , , , rebate]) => rebate ?? [])).to.deep.equal(rebates);
  });
});

describe('docs/alerts.md', () => {
  it('has the types of messages, in the order of their kinds', () => {
    expect(firstColumn(sectionOf(read('docs/alerts.md'), '## A message'))).to.deep.equal([...ALERT_KINDS, 'test']);
  });
});

describe('docs/streams.md', () => {
  const page = read('docs/streams.md');

  it('names every channel', () => {
    for (const { type } of [...publicChannels, ...privateChannels]) expect(page).to.include(`\`${type}\``);
  });

  it('has every close code of ours', () => {
    const codes = sectionOf(page, '## Why a socket is closed')
      .match(/\b\d{4}\b/g)
      ?.map(Number);
    expect(codes).to.include.members(Object.values(closeCodes).map(({ code }) => code));
  });
});

describe('docs/data.md names nothing that is gone', () => {
  const page = read('docs/data.md');
  const named = [...page.matchAll(/^- `([^`]+)`: /gm)].map(([, name = '']) => name);

  it('every Redis key is made in keys.ts', () => {
    const text = read('src/shared/redis/keys.ts') + read('src/shared/redis/jobQueue.ts');
    for (const key of named.filter((name) => name.startsWith('{'))) {
      const parts = key
        .replace(/^\{sNN\}/, '')
        .replace(/:\*$/, '')
        .split(/<[^>]*>|\*/)
        .filter((part) => part !== '' && part !== ':');
      for (const part of parts) expect(text.includes(part) || part === `:cmd:${keys.SHARD_MAILBOX}`, key).to.equal(true);
    }
  });

  it('every collection is named in mongo.ts', () => {
    expect(named.filter((name) => /^\w+$/.test(name))).to.have.members(Object.values(collections));
  });
});

describe('docs/performance.md', () => {
  it('names every bench', () => {
    const page = read('docs/performance.md') + read('docs/testing.md') + read('docs/architecture.md');
    const benches = readdirSync(join(root, 'bench')).filter((name) => name.endsWith('.ts'));
    for (const name of benches) expect(page).to.include(`bench/${name}`);
  });
});

describe('docs/users.md', () => {
  it('has the contents of the plans', () => {
    const rows = [...sectionOf(read('docs/users.md'), '## Plans').matchAll(/^\| [A-Za-z][^|]* \| ([\d,]+) \| ([\d,]+) \|$/gm)];
    for (const [column, plan] of [plans.basic, plans.pro].entries()) {
      const onPage = rows.map((row) => Number(row[column + 1]?.replaceAll(',', '')));
      const { monthCents, balanceUsd, apiKeysMax, subAccountsMax, mirrorsMax, historyDays, archiveBytes } = plan;
      const wanted = [
        monthCents / 100,
        Number(balanceUsd),
        apiKeysMax,
        subAccountsMax,
        mirrorsMax,
        historyDays,
        archiveBytes / 1024 ** 2,
      ];
      expect(onPage).to.deep.equal(wanted);
    }
  });

  it('has the statuses of an invoice', () => {
    const [, union = ''] = /export type InvoiceStatus = (.*);/.exec(read('src/shared/billing/invoiceStore.ts')) ?? [];
    const statuses = union.match(/\w+/g) ?? [];
    const rows = sectionOf(read('docs/users.md'), '### The life of an invoice').match(/^\| .*$/gm) ?? [];
    const named = new Set(rows.flatMap((row) => codeOf(row.split('|').slice(1, 3).join('|'))));
    expect([...named]).to.have.members(statuses);
  });
});

describe('the words that clients send', () => {
  const described = [...pages, ...filesBelow(root, 'docs/rules', /\.md$/)].map(read).join('\n');
  for (const type of [...infoTypes(), ...actionTypes()]) {
    it(`a page names ${type}`, () => expect(described).to.match(new RegExp(`\`[^\`]*\\b${type}\\b[^\`]*\``)));
  }
});

/** Text in back ticks, outside blocks of code. */
function codeOf(page: string): string[] {
  return [...page.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** `{a,b}` stands for each of them. */
function expand(name: string): string[] {
  const [whole, list = ''] = /\{([\w,]+)\}/.exec(name) ?? [];
  return whole === undefined ? [name] : list.split(',').map((one) => name.replace(whole, one));
}

/** A path or a name with the ending of a file; `<type>` stands for a name of the reader's own. */
function isFile(name: string): boolean {
  return /^[\w./-]+\.(?:ts|mjs|json|md|java|yml)$/.test(name) && !name.startsWith('/');
}

/** How many files are meant: by their path from the root, or by the end of it. */
function filesNamed(name: string): number {
  if (existsSync(join(root, name))) return 1;
  return tree.filter((file) => file.endsWith(`/${name}`)).length;
}

function sectionOf(page: string, heading: string): string {
  const [, section = ''] = page.split(`${heading}\n`);
  return section.split(/^#{2,3} /m)[0] ?? '';
}

/** The first cells of a table's rows, without back ticks; `\|` is part of a cell. */
function firstColumn(section: string): string[] {
  return [...section.matchAll(/^\| `((?:\\\||[^|])*?)` \|/gm)].map(([, cell = '']) => cell.replaceAll('\\|', '|'));
}
