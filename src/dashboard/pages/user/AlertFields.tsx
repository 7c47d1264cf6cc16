// The fields of an endpoint, and the request that they become.
import { useState } from 'preact/hooks';
import type { AlertChannel, AlertEndpoint, AlertKind } from '../../api/contract.ts';
import { Field } from '../../parts/Form.tsx';
import { boundIn } from './KeyAccount.tsx';

export const KIND_WORDS: Readonly<Record<AlertKind, string>> = {
  fill: 'fills',
  order_ended: 'ends of orders',
  liquidation: 'liquidations',
  margin: 'margin ratios',
  drawdown: 'drawdowns',
  house_rule: 'broken house rules',
  bot_silent: 'silent bots',
  trial_end: 'the end of the trial',
  new_key: 'new keys',
  new_device: 'new devices',
};
const CHANNEL_WORDS: Readonly<Record<AlertChannel, string>> = {
  webhook: 'a webhook',
  mail: 'mails to my verified address',
  telegram: 'a Telegram chat',
};
const CHANNELS = Object.keys(CHANNEL_WORDS) as AlertChannel[];
const KINDS = Object.keys(KIND_WORDS) as AlertKind[];

/** @param props.endpoint as it is; absent = a new one */
export function AlertFields({ endpoint }: { readonly endpoint?: AlertEndpoint }) {
  const { kinds = ['liquidation', 'margin'], status } = endpoint ?? {};
  const [chosen, setChosen] = useState<AlertChannel>(endpoint?.channel ?? 'webhook');
  return (
    <>
      {endpoint === undefined && (
        <fieldset class="plain part">
          <legend>Sent as</legend>
          {CHANNELS.map((channel) => (
            <label key={channel} class="choice">
              <input
                type="radio"
                name="channel"
                value={channel}
                checked={chosen === channel}
                onChange={() => setChosen(channel)}
              />{' '}
              {CHANNEL_WORDS[channel]}
            </label>
          ))}
        </fieldset>
      )}
      {chosen === 'webhook' && (
        <Field name="url" label="Address, https" autocomplete="off" {...(endpoint?.url && { value: endpoint.url })} />
      )}
      <fieldset class="plain part">
        <legend>Told of</legend>
        {KINDS.map((kind) => (
          <label key={kind} class="choice">
            <input type="checkbox" name="kinds" value={kind} defaultChecked={kinds.includes(kind)} /> {KIND_WORDS[kind]}
          </label>
        ))}
      </fieldset>
      <fieldset class="plain part">
        <legend>From where on</legend>
        <Field
          name="margin_percents"
          label="Margin ratios, %"
          autocomplete="off"
          value={(endpoint?.margin_percents ?? ['80']).join(', ')}
        />
        <Field name="drawdown_percent" label="Drawdown, %" autocomplete="off" value={endpoint?.drawdown_percent ?? '10'} />
        <Field
          name="silent_minutes"
          label="Silent for, minutes"
          autocomplete="off"
          value={String(endpoint?.silent_minutes ?? 15)}
        />
      </fieldset>
      {status !== undefined && status !== 'unproven' && (
        <label class="choice">
          <input type="checkbox" name="active" value="on" defaultChecked={status === 'active'} /> It is active; paused, it keeps
          its place
        </label>
      )}
      {status !== undefined && <input type="hidden" name="status" value={status} />}
    </>
  );
}

/** Where an endpoint sends, in words. */
export const whereOf = ({ channel, url, chat }: AlertEndpoint): string =>
  url ?? (channel === 'telegram' ? `Telegram: ${chat ?? 'no chat yet'}` : 'your verified address');

export function CodeField() {
  return <Field name="code" label="Code of your app, where logins ask for one" autocomplete="one-time-code" isOptional />;
}

/** The API names the fields that are wrong. */
export function alertBody(data: FormData): object {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const minutes = text('silent_minutes');
  const code = text('code').replace(/\s/g, '');
  return {
    ...(data.has('channel') && { channel: text('channel') }),
    ...(data.has('url') && { url: text('url') }),
    kinds: data.getAll('kinds'),
    margin_percents: text('margin_percents')
      .split(/[\s,;]+/)
      .filter((percent) => percent !== ''),
    drawdown_percent: text('drawdown_percent'),
    silent_minutes: /^\d+$/.test(minutes) ? Number(minutes) : minutes,
    ...(data.has('status') ? text('status') !== 'unproven' && { active: data.has('active') } : boundIn(data)),
    ...(code !== '' && { code }),
  };
}
