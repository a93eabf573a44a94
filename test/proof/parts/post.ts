// What has arrived by mail: for whom, how often, and whether receivers read it as it was meant.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MailServer } from '../../support/smtp-server.ts';
import { EVIL } from './mail-injections.ts';
import { Complaints, MissingTool } from './proof.ts';

const READER = join(import.meta.dirname, 'read-mails.py');

/** Whom every mail comes from. */
export const SENDER = 'shop@mail.test';

/** @throws MissingTool */
export function requirePython(): void {
  const { status } = spawnSync('python3', ['-c', 'import email.policy']);
  if (status !== 0)
    throw new MissingTool('python3 is missing: apt-get install -y --no-install-recommends python3');
}

/**
 * Compares what came with what is owed.
 *
 * @param owed the address of each mail
 * @param folder for the mails as files
 */
export function examinePost({ mails }: MailServer, owed: readonly string[], folder: string): Complaints {
  const wrong = new Complaints();
  const open = new Map(owed.map((to) => [to, 0]));
  for (const { envelope } of mails) {
    const [to = '', ...more] = envelope.to;
    wrong.unless(more.length === 0, () => `one mail went to ${envelope.to.join(' and ')}`);
    wrong.unless(!envelope.to.includes(EVIL), () => `${EVIL} got a mail that is for ${to}`);
    wrong.unless(open.has(to), () => `${to} got a mail that nobody owes`);
    wrong.unless(envelope.from === SENDER, () => `a mail came from ${envelope.from}`);
    open.set(to, (open.get(to) ?? 0) + 1);
  }
  for (const [to, times] of open) wrong.unless(times === 1, () => `${to} got ${times} mails`);
  const ids = new Set(mails.map(({ headers }) => headers['message-id']));
  wrong.unless(ids.size === mails.length, () => `${mails.length} mails have ${ids.size} ids`);
  readAll(mails, folder, wrong);
  return wrong;
}

/** Lets Python read them. */
function readAll(mails: MailServer['mails'], folder: string, wrong: Complaints): void {
  const place = mkdtempSync(join(folder, 'mails-'));
  const lines = mails.map(({ envelope, raw }, at) => {
    const file = join(place, `${at}.eml`);
    writeFileSync(file, raw);
    return JSON.stringify({ file, to: envelope.to[0], from: SENDER });
  });
  const { status, stdout, stderr } = spawnSync('python3', [READER], {
    input: lines.join('\n'),
    encoding: 'utf8',
  });
  const found = stdout.split('\n').filter((line) => line !== '');
  if (status !== 0 || found.length !== mails.length) throw new Error(`the mails were not read: ${stderr}`);
  for (const [at, line] of found.entries())
    for (const fault of JSON.parse(line) as string[])
      wrong.unless(false, () => `the mail to ${mails[at]?.envelope.to[0]}: ${fault}`);
}
