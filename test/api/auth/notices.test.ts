import { expect } from 'chai';
import { noticeText } from '../../../src/api/auth/acts/notices.ts';
import { composeMail } from '../../../src/shared/mailer.ts';

describe('noticeText: what a user is told of an act', () => {
  const act = { timeMs: 0, address: '192.0.2.1' };

  it('names the act, its time, its address and what to do', () => {
    const { title, text } = noticeText('api_key.created', { ...act, subject: 'bot' });
    expect(title).to.equal('A new API key');
    expect(text).to.equal(
      'The API key "bot" was made for your account.\n\nTime: 1970-01-01T00:00:00.000Z\nNetwork address: 192.0.2.1\n\n' +
        'If it was not you: set a new password (forgot password) with "revoke keys", which ends every login and API key.',
    );
  });

  it('a name of a key or an address writes no line, head or foreign letter of its own', () => {
    const subject = `x\r\n\r\nBcc: a@example.com\u202e${'y'.repeat(300)}`;
    const { text, title } = noticeText('api_key.created', { timeMs: 0, address: '1\r\n2', subject });
    expect(text).to.include('"x????Bcc: a@example.com?').and.include('address: 1??2\n');
    expect(text).to.match(/^[\x20-\x7e\n]+$/);
    const lines = composeMail({ to: 'a@b.co', subject: title, text }, { from: 'x@y.zz', timeMs: 0, id: '1' }).split('\r\n');
    expect(Math.max(...lines.map(({ length }) => length))).to.be.below(300);
  });
});
