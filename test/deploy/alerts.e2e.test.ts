// The alert rules by Prometheus' own tool: series that make each rule fire, series that do not, and a reading of all PromQL.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { alerts, questions, RULES } from '../support/promql.ts';

/** Values of a series, four a minute: `0+1x80` begins at 0 and rises by 1, 80 times; `_x20` = 20 times none. */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly alert: string;
  readonly at: string;
  /** It fires once, with these labels beside its severity, and with this value in its text. */
  readonly fires: Series;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
  /** It does not fire. */
  readonly quiet: Series;
  readonly quietAt?: string;
}

const ORDER = 'route="/v1/exchanges/:exchange/exchange"';
const WEBHOOK = 'route="/v1/billing/webhooks/stripe"';
const bucketsOf = (name: string, labels: string, [slow, fast]: readonly [le: string, le: string], fastOf100: number): Series => ({
  [`${name}_bucket{${labels},le="${fast}"}`]: `0+${fastOf100}x80`,
  [`${name}_bucket{${labels},le="${slow}"}`]: '0+100x80',
  [`${name}_bucket{${labels},le="+Inf"}`]: '0+100x80',
});
const orders = (fastOf100: number): Series => bucketsOf('api_request_duration_seconds', ORDER, ['1', '0.5'], fastOf100);
const delays = (fastOf100: number): Series => bucketsOf('loop_delay_seconds', 'role="api"', ['0.256', '0.064'], fastOf100);
const shard = (of: string, bytes: string): Series => ({
  [`shard_bytes{shard="3",of="${of}"}`]: bytes,
  [`shard_limit_bytes{of="${of}"}`]: '100+0x120',
});
const ofTwo = (name: string, one: number, other: number): Series => ({
  [`${name}{instance="a"}`]: `${one}+0x40`,
  [`${name}{instance="b"}`]: `${other}+0x40`,
});
/** A counter that was 0, rises once, and stays. */
const ONCE = '0+0x10 1+0x30';

const cases: readonly Case[] = [
  {
    alert: 'ServiceUnreported',
    at: '2m',
    fires: { 'up{job="exchange"}': '1+0x40' },
    quiet: ofTwo('service_taking_orders', 0, 0),
  },
  { alert: 'NoOrdersTaken', at: '2m', fires: ofTwo('service_taking_orders', 0, 0), quiet: ofTwo('service_taking_orders', 0, 1) },
  {
    ...{ alert: 'ProcessDown', at: '3m', labels: { instance: 'a', job: 'exchange' } },
    fires: { 'up{job="exchange",instance="a"}': '0+0x40' },
    quiet: { 'up{job="exchange",instance="a"}': '1+0x40' },
  },
  { alert: 'OrdersSlow', at: '15m', fires: orders(90), quiet: orders(100) },
  {
    ...{ alert: 'AnswersFail', at: '10m' },
    fires: {
      'api_request_duration_seconds_count{status="503"}': '0+10x80',
      'api_request_duration_seconds_count{status="200"}': '0+90x80',
    },
    quiet: {
      'api_request_duration_seconds_count{status="503"}': '0+1x80',
      'api_request_duration_seconds_count{status="200"}': '0+99x80',
    },
  },
  {
    ...{ alert: 'ConnectionsRefused', at: '10m', labels: { reason: 'full' } },
    fires: { 'api_connections_ended_total{reason="full"}': '0+1x80' },
    quiet: { 'api_connections_ended_total{reason="pipelined"}': '0+1x80' },
  },
  {
    ...{ alert: 'ShardWithoutOwner', at: '2m', value: '2' },
    fires: ofTwo('service_shards_without_owner', 2, 2),
    // A pod has died, and others have its shards within some seconds.
    quiet: { 'service_shards_without_owner{instance="a"}': '0+0x4 2 2 0+0x40' },
  },
  { alert: 'ShardRefused', at: '6m', fires: ofTwo('actor_refused_shards', 0, 1), quiet: ofTwo('actor_refused_shards', 0, 0) },
  { alert: 'RedisWentBack', at: '5m', fires: { actor_redis_losses_total: ONCE }, quiet: { actor_redis_losses_total: '1+0x40' } },
  {
    ...{ alert: 'PodPinnedByShard', at: '16m', labels: { instance: 'a', shard: '3' } },
    // Nine seconds of fifteen.
    fires: {
      'actor_shard_busy_seconds_total{instance="a",shard="3"}': '0+9x80',
      'actor_shard_busy_seconds_total{instance="a",shard="4"}': '0+2x80',
      'actor_shards{instance="a"}': '2+0x80',
    },
    // A busy pod whose shards share it, and a shard that has its pod for itself.
    quiet: {
      'actor_shard_busy_seconds_total{instance="a",shard="3"}': '0+6x80',
      'actor_shard_busy_seconds_total{instance="a",shard="4"}': '0+6x80',
      'actor_shards{instance="a"}': '2+0x80',
      'actor_shard_busy_seconds_total{instance="b",shard="5"}': '0+14x80',
      'actor_shards{instance="b"}': '1+0x80',
    },
  },
  {
    ...{ alert: 'ReplicasMissing', at: '2m', value: '30s' },
    fires: ofTwo('actor_unconfirmed_seconds', 0, 30),
    quiet: ofTwo('actor_unconfirmed_seconds', 0, 1),
  },
  { alert: 'ThreadHeld', at: '15m', labels: { role: 'api' }, fires: delays(90), quiet: delays(100) },
  {
    ...{ alert: 'LiquidationMissed', at: '5m' },
    fires: { actor_missed_liquidations_total: ONCE },
    quiet: { actor_missed_liquidations_total: '0+0x40' },
  },
  {
    alert: 'LiquidationsWait',
    at: '3m',
    value: '3',
    fires: ofTwo('actor_accounts_in_danger', 1, 2),
    quiet: ofTwo('actor_accounts_in_danger', 0, 0),
  },
  {
    alert: 'AccountsHalted',
    at: '3m',
    value: '3',
    fires: ofTwo('actor_halted_accounts', 1, 2),
    quiet: ofTwo('actor_halted_accounts', 0, 0),
  },
  {
    alert: 'CommandsParked',
    at: '2m',
    value: '5',
    fires: ofTwo('shard_dead_letters', 1, 4),
    quiet: ofTwo('shard_dead_letters', 0, 0),
  },
  {
    ...{ alert: 'HistoryLags', at: '6m', value: '1m 30s' },
    fires: ofTwo('actor_history_lag_seconds', 5, 90),
    quiet: ofTwo('actor_history_lag_seconds', 5, 30),
  },
  {
    ...{ alert: 'ArchiveFails', at: '6m' },
    fires: ofTwo('actor_archive_lag_seconds', 5, 400),
    quiet: ofTwo('actor_archive_lag_seconds', 5, 40),
  },
  {
    ...{ alert: 'ArchiveCopyFails', at: '8m' },
    fires: { actor_archive_copy_failures_total: '0+1x30', actor_archive_copy_missed_total: '0+0x30' },
    quiet: { actor_archive_copy_failures_total: '7+0x30', actor_archive_copy_missed_total: '0+0x30' },
  },
  {
    alert: 'JournalFills',
    at: '6m',
    labels: { shard: '3' },
    fires: shard('journal', '60+0x40'),
    quiet: shard('journal', '40+0x40'),
  },
  {
    alert: 'JournalFullSoon',
    at: '12m',
    labels: { shard: '3' },
    fires: shard('journal', '0+1x120'),
    quiet: shard('journal', '50+0x120'),
  },
  {
    ...{ alert: 'JournalFull', at: '4m', labels: { bound: 'shard' } },
    fires: { 'actor_journal_full_total{bound="shard"}': ONCE },
    quiet: { 'actor_journal_full_total{bound="shard"}': '5+0x40' },
  },
  {
    alert: 'MailboxesFill',
    at: '3m',
    labels: { shard: '3' },
    fires: shard('mailboxes', '60+0x40'),
    quiet: shard('mailboxes', '40+0x40'),
  },
  {
    ...{ alert: 'FeedOld', at: '1m', labels: { feed: 'book' }, value: '20s' },
    fires: { 'api_market_feed_age_seconds{feed="book"}': '20+0x40' },
    // A coin may have no trade for long.
    quiet: { 'api_market_feed_age_seconds{feed="book"}': '3+0x40', 'api_market_feed_age_seconds{feed="trades"}': '600+0x40' },
  },
  {
    alert: 'NoMarketLeader',
    at: '2m',
    fires: ofTwo('service_market_leaders', 0, 0),
    quiet: ofTwo('service_market_leaders', 1, 1),
  },
  { alert: 'RedisAway', at: '1m', fires: ofTwo('service_redis_up', 0, 0), quiet: ofTwo('service_redis_up', 0, 1) },
  { alert: 'MongoAway', at: '3m', fires: ofTwo('service_mongo_up', 0, 0), quiet: ofTwo('service_mongo_up', 0, 1) },
  { alert: 'LimiterAlone', at: '7m', fires: { api_limiter_local_total: '0+1x80' }, quiet: { api_limiter_local_total: '7+0x80' } },
  { alert: 'NoJobs', at: '6m', fires: ofTwo('service_jobs_processes', 0, 0), quiet: ofTwo('service_jobs_processes', 1, 1) },
  {
    ...{ alert: 'JobsStandStill', at: '20m' },
    fires: { service_jobs_processes: '2+0x80', 'jobs_runs_total{name="funding",outcome="done"}': '0+6x5 30+0x75' },
    quiet: { service_jobs_processes: '2+0x80', 'jobs_runs_total{name="funding",outcome="done"}': '0+6x80' },
  },
  {
    ...{ alert: 'JobsGivenUp', at: '5m', labels: { name: 'funding' } },
    fires: { 'jobs_runs_total{name="funding",outcome="dead"}': ONCE },
    quiet: { 'jobs_runs_total{name="funding",outcome="failed"}': '0+1x40' },
  },
  {
    ...{ alert: 'PaymentWebhooksFail', at: '8m', quietAt: '45m' },
    fires: { [`api_request_duration_seconds_count{${WEBHOOK},status="400"}`]: '_x20 1+0x40' },
    quiet: {
      [`api_request_duration_seconds_count{${WEBHOOK},status="400"}`]: '3+1x200',
      [`api_request_duration_seconds_count{${WEBHOOK},status="200"}`]: '0+1x200',
    },
  },
  {
    ...{ alert: 'ClockWrong', at: '6m', labels: { instance: 'a' }, value: '2s' },
    fires: ofTwo('clock_offset_seconds', -2, 0),
    quiet: ofTwo('clock_offset_seconds', -0.3, 0.3),
  },
  {
    ...{ alert: 'CertificateEnds', at: '65m', value: '9d 22h 55m 0s' },
    fires: { api_certificate_end_timestamp_seconds: `${10 * 86_400}+0x300` },
    quiet: { api_certificate_end_timestamp_seconds: `${30 * 86_400}+0x300` },
  },
];

describe('alerts, by promtool', function () {
  this.timeout(600_000);
  const dir = mkdtempSync(join(tmpdir(), 'paper-rules-'));
  after(() => rmSync(dir, { recursive: true }));

  it('every rule has a case', () => expect(cases.map(({ alert }) => alert)).to.have.members(alerts.map(({ alert }) => alert)));

  it('each fires when it should, and does not when it should not', () => {
    const file = join(dir, 'tests.yaml');
    const tests = cases.flatMap((one) => [
      testOf(one, { name: `${one.alert} fires`, series: one.fires, at: one.at, expected: [expectedOf(one)] }),
      testOf(one, { name: `${one.alert} is quiet`, series: one.quiet, at: one.quietAt ?? one.at, expected: [] }),
    ]);
    writeFileSync(file, stringify({ rule_files: [fileURLToPath(RULES)], evaluation_interval: '15s', tests }));
    expect(complaints('test', 'rules', file)).to.equal('');
  });

  it('a rule that never fires would be found', () => {
    const one = cases[0] as Case;
    const file = join(dir, 'wrong.yaml');
    const tests = [testOf(one, { name: 'wrong', series: one.quiet, at: one.at, expected: [expectedOf(one)] })];
    writeFileSync(file, stringify({ rule_files: [fileURLToPath(RULES)], evaluation_interval: '15s', tests }));
    expect(complaints('test', 'rules', file)).to.include('FAILED');
  });

  it('the configuration of the monitor is one', () => {
    const text = readFileSync(new URL('prometheus.yml', RULES), 'utf8');
    // Debian's promtool is built without what finds the pods of a cluster.
    const found = /kubernetes_sd_configs:[\s\S]*?(?=\n {4}relabel_configs)/;
    expect(text).to.match(found);
    const file = join(dir, 'prometheus.yml');
    const here = text
      .replace(found, "static_configs: [{ targets: ['127.0.0.1:9100'] }]")
      .replace('[rules.yaml]', `['${fileURLToPath(RULES)}']`);
    writeFileSync(file, here);
    expect(complaints('check', 'config', file)).to.equal('');
  });

  it('every question of a dashboard can be read', () => {
    const rules = [...questions.values()].map((expr, i) => ({
      record: `question:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '1'),
    }));
    const file = join(dir, 'questions.yaml');
    writeFileSync(file, stringify({ groups: [{ name: 'questions', rules }] }));
    expect(complaints('check', 'rules', '--lint=none', file)).to.equal('');
  });
});

interface Test {
  readonly name: string;
  readonly series: Series;
  readonly at: string;
  readonly expected: readonly object[];
}

const testOf = ({ alert }: Case, { name, series, at, expected }: Test): object => ({
  name,
  interval: '15s',
  input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
  alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
});

/** Its labels, and its text with the labels and the value in their places. */
function expectedOf({ alert, labels = {}, value = '' }: Case): object {
  const rule = alerts.find((one) => one.alert === alert);
  const summary = rule?.annotations.summary
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '')
    .replaceAll(/\{\{ \$value[^}]*\}\}/g, value);
  return { exp_labels: { ...rule?.labels, ...labels }, exp_annotations: { ...rule?.annotations, summary } };
}

/** The faults that promtool finds; empty = none. */
function complaints(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? '' : `${stdout}${stderr}`;
}
