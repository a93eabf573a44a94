// A day of whoever releases the software.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testWalk } from '../../support/walk.ts';

const setup = 'appctl setup --no-input --owner-email ann@example.com --generate-password';

testWalk('release-day', {
  prepare: (cwd) => writeFileSync(join(cwd, 'editor.zip'), 'the bundle'),
  steps: () => [
    { line: `${setup} --product editor`, hidden: true },
    {
      line: 'appctl keys generate --product editor --out editor.key',
      answers: [
        ['assphrase', 'correct horse'],
        ['Again', 'correct horse'],
      ],
    },
    {
      line: 'appctl release ship editor.zip --product editor --version 1.2.0 --key editor.key --rollout 10',
      answers: [['assphrase', 'correct horse']],
    },
    'appctl release list',
    'appctl release show editor@1.2.0',
    'appctl release rollout editor@1.2.0 --percent 50',
    { line: 'appctl release yank editor@1.2.0 --reason "crashes at start"', answers: [['Continue?', 'y']] },
    'appctl keys list --product editor',
  ],
});
