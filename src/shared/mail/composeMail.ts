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
