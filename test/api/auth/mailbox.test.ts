import { expect } from 'chai';
import { mailboxOf } from '../../../src/api/auth/parts/trials.ts';

describe('mailboxOf: addresses that differ only in what their provider ignores', () => {
  const cases: [email: string, mailbox: string][] = [
    ['a.b.c@gmail.com', 'abc@gmail.com'],
    ['abc+tag+more@googlemail.com', 'abc@gmail.com'],
    ['a.b+tag@outlook.com', 'a.b@outlook.com'],
    ['a.b+tag@proton.me', 'a.b@proton.me'],
    ['a.b+tag@example.com', 'a.b+tag@example.com'],
    ['+tag@gmail.com', '+tag@gmail.com'],
    ['a.b+tag@gmail.com.example.com', 'a.b+tag@gmail.com.example.com'],
  ];
  for (const [email, mailbox] of cases) it(`${email} is ${mailbox}`, () => expect(mailboxOf(email)).to.equal(mailbox));
});
