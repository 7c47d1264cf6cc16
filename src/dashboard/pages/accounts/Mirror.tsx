// A sub-account and the address of the venue that it began with: begun and followed here, and each fill of the address beside ours.
import { useEffect, useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { GroupAccount, Import, LeftOut, Mirror as MirrorNow } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { hearingText } from '../../domain/hearingText.ts';
import { useAnswer } from '../../parts/answers.tsx';
import { type Fact, Facts } from '../../parts/Facts.tsx';
import { Field, Form } from '../../parts/Form.tsx';
import { Digits, Moment, Usd } from '../../parts/numbers.tsx';
import { exchangePath, readUserAccounts } from '../../state/chosenAccount.ts';
import { address, navigate } from '../../state/route.ts';
import { AccountChoice } from './AccountChoice.tsx';
import { AccountsPage } from './AccountsPage.tsx';
import { DivergenceView } from './DivergenceView.tsx';

/** How often what is heard of an address is looked at, ms. */
const LOOK_MS = 15_000;

interface MirrorAnswer {
  readonly mirror: MirrorNow | null;
}

export default function Mirror() {
  return <AccountsPage title="An address of the venue">{({ accounts }) => <Chosen accounts={accounts} />}</AccountsPage>;
}

function Chosen({ accounts }: { readonly accounts: readonly GroupAccount[] }) {
  const wanted = new URLSearchParams(address.value.replace(/^[^?]*/, '')).get('account');
  const subAccounts = accounts.filter(({ name }) => name !== null);
  const account = subAccounts.find((one) => one.address === wanted) ?? subAccounts[0];
  if (account === undefined)
    return (
      <p>
        Only a sub-account can begin with an address, and there is none. <a href="/group">All accounts</a>
      </p>
    );
  return (
    <>
      <div class="filters">
        <AccountChoice
          label="Sub-account"
          accounts={subAccounts}
          chosen={account}
          onChoose={(to) => navigate(`/group/mirror?account=${to}`, { replaces: true })}
        />
        <a href="/group">All accounts</a>
      </div>
      <OneAccount key={account.address} account={account} />
    </>
  );
}

function OneAccount({ account }: { readonly account: GroupAccount }) {
  const [left, setLeft] = useState<readonly LeftOut[]>([]);
  const [refused, setRefused] = useState<string>();
  return (
    <>
      {refused !== undefined && (
        <p class="error" role="alert">
          It has begun with the address, and does not follow it: {refused}
        </p>
      )}
      {account.import === null ? (
        <Begin account={account} onLeft={setLeft} onNotFollowed={setRefused} />
      ) : (
        <Begun account={account} origin={account.import} />
      )}
      {left.length > 0 && (
        <section aria-labelledby="left">
          <h2 id="left">What is not taken</h2>
          <ul>
            {left.map(({ kind, coin, text }, i) => (
              <li key={i}>
                {coin}, {kind}: {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {account.import !== null && <DivergenceView account={account.address} />}
    </>
  );
}

interface BeginProps {
  readonly account: GroupAccount;
  readonly onLeft: (left: readonly LeftOut[]) => void;
  /** Hears why, when the account has begun and does not follow the address. */
  readonly onNotFollowed: (why: string) => void;
}

function Begin({ account, onLeft, onNotFollowed }: BeginProps) {
  const [tried, setTried] = useState<Import>();
  const begin = async (data: FormData): Promise<void> => {
    const [source, scale, how] = ['source', 'scale', 'how'].map((name) => String(data.get(name)).trim());
    const wish = { address: source, scale };
    setTried(undefined);
    // Only the import says what it left out; the mirror goes on from it.
    const { body } = await post<Import>(pathOf('import', account), { ...wish, dryRun: how === 'try' });
    onLeft(body.left);
    if (how === 'try') return setTried(body);
    try {
      if (how === 'follow') await post(pathOf('mirror', account), wish);
    } catch (failure) {
      onNotFollowed(failureText(failure));
    }
    await readUserAccounts();
  };
  return (
    <section aria-labelledby="begin">
      <h2 id="begin">Begin with an address</h2>
      <p class="quiet">
        An empty sub-account begins with the positions, leverage and open orders of an address of the venue, times the scale. When
        it follows the address, what the address does from then on is done here as well.
      </p>
      <Form act="Do it" onSubmit={begin}>
        <Field name="source" label="Address, 0x and 40 hex digits" autocomplete="off" />
        <Field name="scale" label="Scale, above 0" autocomplete="off" value="1" />
        <label class="field">
          What to do
          <select name="how">
            <option value="try">Look what would be taken</option>
            <option value="follow">Begin with it and follow it</option>
            <option value="begin">Begin with it alone</option>
          </select>
        </label>
      </Form>
      {tried && (
        <p role="status">
          It would begin with <Usd value={tried.balance} /> USD, {tried.positions.length} positions and {tried.orders.length}{' '}
          orders.
        </p>
      )}
    </section>
  );
}

interface BegunProps {
  readonly account: GroupAccount;
  readonly origin: NonNullable<GroupAccount['import']>;
}

function Begun({ account, origin }: BegunProps) {
  const { address: source, scale } = origin;
  const { following } = account;
  const change = async (): Promise<void> => {
    if (following === null) await post(pathOf('mirror', account), { address: source, scale });
    else await remove(pathOf('mirror', account));
    await readUserAccounts();
  };
  return (
    <section aria-labelledby="address">
      <h2 id="address">The address</h2>
      {following === null ? (
        <Facts facts={[...factsOf(origin), { term: 'Follows it', value: 'no' }]} />
      ) : (
        <Following account={account} origin={origin} />
      )}
      <Form act={following === null ? 'Follow it' : 'Follow it no more'} onSubmit={change}>
        <p class="quiet">Positions and open orders stay as they are.</p>
      </Form>
    </section>
  );
}

/**
 * The page asks about the address again and again. When the address is not followed any more, the list of accounts says so, too.
 */
function Following({ account, origin }: BegunProps) {
  const { answer, error } = useAnswer<MirrorAnswer>(pathOf('mirror', account), { everyMs: LOOK_MS });
  const mirror = answer?.body.mirror;
  useEffect(() => {
    if (mirror === null) readUserAccounts().catch((failure: unknown) => console.warn(failure));
  }, [mirror]);
  return (
    <Facts
      facts={[
        ...factsOf(origin),
        { term: 'Follows it', value: mirror === null ? 'no longer' : 'yes' },
        {
          term: 'The venue',
          value: error ? 'not known: the server does not say' : mirror === undefined ? '…' : hearingText(mirror),
        },
        mirror?.through != null && { term: 'Newest fill heard, or the beginning', value: <Moment at={mirror.through} /> },
        mirror != null && { term: 'Orders with a copy', value: mirror.copies },
      ]}
    />
  );
}

const factsOf = ({ address: source, scale, time, usd }: BegunProps['origin']): readonly Fact[] => [
  { term: 'Address', value: <code>{source}</code> },
  { term: 'Scale', value: <Digits value={scale} /> },
  { term: 'Began', value: <Moment at={time} /> },
  { term: 'Began with', value: <Usd value={usd} /> },
];

const pathOf = (what: 'import' | 'mirror', { address: account }: GroupAccount): string =>
  exchangePath(`account/${what}?account=${account}`);
