// What somebody reads who was wrong: each refusal says what is wrong and what cures it.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testWalk } from '../../support/walk.ts';

const setup = 'appctl setup --no-input --owner-email ann@example.com --generate-password';

testWalk('refusals', {
  prepare(cwd) {
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'editor.zip'), Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]));
    chmodSync(join(cwd, 'editor.zip'), 0o644);
  },
  steps: (port) => [
    { line: 'appctl license list', code: 78 },
    { line: 'appctl license list --data-dir nowhere', code: 78 },
    { line: `${setup} --product editor`, hidden: true },
    { line: 'appctl licence list', code: 2 },
    { line: 'appctl license mint --product edtor --email bob@example.com', code: 3 },
    { line: 'appctl license list --fields id,mail', code: 2 },
    { line: 'appctl license show lic_01ABC', code: 3 },
    { line: 'appctl keys generate --product editor --out editor.key --no-passphrase', hidden: true },
    { line: 'appctl release sign editor.zip --key editor.pub', code: 2 },
    { line: 'appctl release sign editor.zip --key editor.zip', code: 2 },
    { line: 'appctl release verify editor.zip --pubkey editor.key', code: 2 },
    { line: 'appctl release sign folder --key editor.key', code: 2 },
    { line: 'appctl release ship folder --product editor --version 1.0.0 --key editor.key', code: 2 },
    { line: 'appctl license show --key-file folder', code: 2 },
    { line: 'appctl license show --key-file nothing.txt', code: 2 },
    { line: 'appctl license export > /dev/full', code: 1 },
    { line: 'appctl config init --out /dev/full', code: 1 },
    { line: `appctl serve --listen 127.0.0.1:${port}`, until: 'listening', hidden: true },
    { line: `appctl serve --data-dir other --listen 127.0.0.1:${port}`, code: 5 },
    { line: 'mv data/master.key copy.key', hidden: true },
    { line: 'appctl license list', code: 78 },
    { line: 'mv copy.key data/master.key', hidden: true },
    { line: 'chmod 644 data/master.key; appctl license list', code: 78 },
  ],
});
