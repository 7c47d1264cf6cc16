// The failure lab of an API key: a user sees, sets and switches off the faults that its bot meets on purpose.
import { useState } from 'preact/hooks';
import type { ApiKeyList, ShownLab } from '../../api/contract.ts';
import { remove, request } from '../../api/http.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Form } from '../../parts/Form.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { LabFields } from './LabFields.tsx';
import { labBody } from './labBody.ts';
import '../../styles/lab.css';

export default function LabPage({ id }: { readonly id: string }) {
  const path = `/v1/auth/api-keys/${encodeURIComponent(id)}/lab`;
  const asked = useAnswer<ShownLab>(path, { everyMs: LOOK_MS });
  const keys = useAnswer<ApiKeyList>('/v1/auth/api-keys');
  const name = keys.answer?.body.api_keys.find((key) => key.id === id)?.name;
  return (
    <Shell title="Failure lab">
      <p>
        What a bot with the key <bdi>{name ?? id}</bdi> meets on purpose. Other keys and the money of the account are not
        concerned.
      </p>
      <Shown asked={asked} lines={8}>
        {(lab) => (
          <>
            <Now lab={lab} />
            <Settings lab={lab} path={path} onChanged={asked.askAgain} />
          </>
        )}
      </Shown>
    </Shell>
  );
}

/** How often the draws are looked at, ms. */
const LOOK_MS = 15_000;

function Now({ lab: { profile, draws } }: { readonly lab: ShownLab }) {
  const counts = `${draws.exchange} to exchange, ${draws.info} to info`;
  return (
    <Facts
      facts={[
        { term: 'It is', value: profile === null ? 'off' : profile.schedule ? 'on, by its schedule' : 'on' },
        profile !== null && { term: 'Seed', value: profile.seed },
        profile !== null && {
          term: 'Requests drawn for',
          value: counts,
          help: 'Since it was set. The same seed, requests and market give the same faults. A change begins anew.',
        },
      ]}
    />
  );
}

interface SettingsProps {
  readonly lab: ShownLab;
  readonly path: string;
  readonly onChanged: () => void;
}

/**
 * The form stays as it is typed while the draws are looked at; a preset, or a profile that was set elsewhere meanwhile, fills it
 * in again.
 */
function Settings({ lab: { profile, presets }, path, onChanged }: SettingsProps) {
  const [taken, setTaken] = useState<string>();
  const [isSaved, setIsSaved] = useState(false);
  const preset = presets.find(({ name }) => name === taken);
  const filled = preset?.profile ?? profile ?? {};
  const changed = (): void => {
    setTaken(undefined);
    onChanged();
  };
  const set = async (data: FormData): Promise<void> => {
    await request('PUT', path, { body: labBody([...data.entries()]) });
    setIsSaved(true);
    changed();
  };
  return (
    <>
      <fieldset class="tabs presets">
        <legend>Fill in what is supplied</legend>
        {presets.map(({ name, about }) => (
          <button key={name} type="button" title={about} aria-pressed={name === taken} onClick={() => setTaken(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      {preset && <p>{preset.about}</p>}
      <div class="lab" onInput={() => setIsSaved(false)}>
        <Form act={profile === null ? 'Switch it on' : 'Set it anew'} onSubmit={set}>
          <LabFields key={`${taken} ${JSON.stringify(profile)}`} settings={filled} />
          {isSaved && <p role="status">It holds now.</p>}
        </Form>
        {profile !== null && (
          <Form
            act="Switch it off"
            onSubmit={async () => {
              await remove(path);
              setIsSaved(false);
              changed();
            }}
          >
            {null}
          </Form>
        )}
      </div>
    </>
  );
}
