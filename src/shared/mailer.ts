// Sends mails through SMTP_URL, or writes them as files to MAIL_DIR where no SMTP_URL is set, as on a laptop. No
// request waits for a mail (background.ts).
import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Config } from './config/config.ts';
import type { Logger } from './logger.ts';

/** How long a mail server may take to answer, at each step, ms. */
const SERVER_MS_MAX = 15_000;

/** Sends one mail. @throws when it could not be handed over */
export type Mailer = (mail: Mail) => Promise<void>;

interface MailerParts {
  readonly config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'MAIL_DIR'>;
  readonly log: Logger;
  readonly now: () => number;
}

export function createMailer({ config, log, now }: MailerParts): Mailer {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_DIR: dir } = config;
  const compose = (mail: Mail): { id: string; raw: string } => {
    const id = `${new Date(now()).toISOString().replaceAll(':', '-')}-${randomBytes(6).toString('hex')}`;
    return { id, raw: composeMail(mail, { from, timeMs: now(), id }) };
  };
  if (url === '') {
    return async (mail) => {
      const { id, raw } = compose(mail);
      const file = join(dir, `${id}.eml`);
      await mkdir(dir, { recursive: true });
      // Only the file's owner may read the link in it, and a watcher of the folder sees whole files only.
      await writeFile(`${file}.part`, raw, { mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ file }, 'a mail is in a file, for no SMTP_URL is set');
    };
  }
  const transport = createTransport({
    url,
    ...{ connectionTimeout: SERVER_MS_MAX, greetingTimeout: SERVER_MS_MAX, socketTimeout: SERVER_MS_MAX },
  });
  return async (mail) => {
    await transport.sendMail({ envelope: { from, to: [mail.to] }, raw: compose(mail).raw });
  };
}

// Composes a plain text mail as it is sent. Lines stay as they were written, because an encoding could break a link
// and operators read these mails as files.

/** A mail to one person. */
export interface Mail {
  /** An address without spaces or control characters. */
  readonly to: string;
  /** ASCII. */
  readonly subject: string;
  /** ASCII, lines of at most 998 characters (RFC 5322). */
  readonly text: string;
}

/** @param sent.id unique; the part of the Message-ID before the @ */
export function composeMail({ to, subject, text }: Mail, sent: { from: string; timeMs: number; id: string }): string {
  const domain = sent.from.replace(/^.*@/, '').replace(/[^\w.-].*$/, '') || 'localhost';
  const head = [
    `From: ${sent.from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date(sent.timeMs).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${sent.id}@${domain}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return [...head, '', ...text.split('\n'), ''].join('\r\n');
}
