// A sub-account and the address of the venue that it began with: begun and followed here, and each fill of the address beside ours.
import { useEffect, useState } from 'preact/hooks';
import type { GroupAccount, Import, LeftOut } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { Field, Form } from '../../parts/Form.tsx';
import { DivergenceView } from '../../parts/group/DivergenceView.tsx';
import { VenueHeard } from '../../parts/group/VenueHeard.tsx';
import { Facts } from '../../parts/lists/Facts.tsx';
import { Digits, Moment, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { ErrorState, Loading } from '../../parts/states.tsx';
import { group, nameOf } from '../../state/chosenAccount.ts';
import { readGroup } from '../../state/group.ts';
import { exchangePath } from '../../state/paths.ts';
import { address, navigate } from '../../state/route.ts';

export default function Mirror() {
  const [error, setError] = useState<Error>();
  const look = (): void => {
    readGroup().then(() => setError(undefined), setError);
  };
  useEffect(look, []);
  const now = group.value;
  return (
    <Shell title="An address of the venue">
      {error && <ErrorState error={error} onRetry={look} />}
      {now === undefined ? error === undefined && <Loading lines={8} /> : <Chosen accounts={now.accounts} />}
    </Shell>
  );
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
        <label class="filter">
          Sub-account
          <select
            value={account.address}
            onChange={({ currentTarget }) => navigate(`/group/mirror?account=${currentTarget.value}`, { replaces: true })}
          >
            {subAccounts.map((one) => (
              <option key={one.address} value={one.address}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
        <a href="/group">All accounts</a>
      </div>
      <OneAccount key={account.address} account={account} />
    </>
  );
}

function OneAccount({ account }: { readonly account: GroupAccount }) {
  const [left, setLeft] = useState<readonly LeftOut[]>([]);
  return (
    <>
      {account.import === null ? (
        <Begin account={account} onLeft={setLeft} />
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
}

function Begin({ account, onLeft }: BeginProps) {
  const [tried, setTried] = useState<Import>();
  const begin = async (data: FormData): Promise<void> => {
    const [source, scale, how] = ['source', 'scale', 'how'].map((name) => String(data.get(name)).trim());
    const wish = { address: source, scale };
    setTried(undefined);
    // What is left out is told by the import alone; the mirror goes on from it.
    const { body } = await post<Import>(pathOf('import', account), { ...wish, dryRun: how === 'try' });
    onLeft(body.left);
    if (how === 'try') return setTried(body);
    try {
      if (how === 'follow') await post(pathOf('mirror', account), wish);
    } finally {
      await readGroup();
    }
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
  const { address: source, scale, usd, time } = origin;
  const { following } = account;
  const change = async (): Promise<void> => {
    if (following === null) await post(pathOf('mirror', account), { address: source, scale });
    else await remove(pathOf('mirror', account));
    await readGroup();
  };
  return (
    <section aria-labelledby="address">
      <h2 id="address">The address</h2>
      <Facts
        facts={[
          { term: 'Address', value: <code>{source}</code> },
          { term: 'Scale', value: <Digits value={scale} /> },
          { term: 'Began', value: <Moment at={time} /> },
          { term: 'Began with', value: <Usd value={usd} /> },
          { term: 'Follows it', value: following === null ? 'no' : 'yes' },
          following !== null && { term: 'The venue', value: <VenueHeard account={account.address} /> },
          following !== null && { term: 'Heard up to', value: <Moment at={following.through} /> },
          following !== null && { term: 'Orders with a copy', value: following.copies },
        ]}
      />
      <Form act={following === null ? 'Follow it' : 'Follow it no more'} onSubmit={change}>
        <p class="quiet">Positions and open orders stay as they are.</p>
      </Form>
    </section>
  );
}

const pathOf = (what: 'import' | 'mirror', { address: account }: GroupAccount): string =>
  exchangePath(`account/${what}?account=${account}`);
