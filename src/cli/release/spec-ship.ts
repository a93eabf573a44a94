import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { publishOptions, releaseOptions, statementOptions } from './spec-options.ts';

/** One step for a build machine: sign, make, upload, publish. */
export const shipCommands: readonly CommandSpec[] = [
  {
    path: 'release ship',
    summary: 'sign a bundle, upload it and publish the release, in one step',
    description:
      'Checks what it can before it starts: the key and its passphrase, that the product accepts the key, that the version is new and higher than the newest one on its channel, and the free disk space. If the product has no key yet, the public half of KEY becomes its ACTIVE key. If a run is interrupted, run the same command again; for a release already published with the same bytes it does nothing and exits with 0.',
    args: [{ name: 'file', summary: 'bundle to ship', complete: 'file' }],
    options: [
      ...releaseOptions,
      {
        name: 'key',
        value: 'KEY',
        summary: 'private key: a file, env://VAR, stdin: or store:KEYID',
        required: true,
        complete: 'file',
      },
      ...secretOptions('passphrase', 'the passphrase of the private key'),
      ...statementOptions,
      { name: 'out-dir', value: 'DIR', summary: 'folder for FILE.sig.json', complete: 'file' },
      { name: 'sha256', value: 'HEX', summary: 'refuse a file with a different digest' },
      { name: 'comment', value: 'TEXT', summary: 'comment for FILE.sig.json' },
      { name: 'tauri', summary: "also sign it for Tauri's updater" },
      { name: 'sparkle', summary: 'also sign it for Sparkle, which reads the file twice more' },
      { name: 'force', summary: 'replace the signature of another file or key' },
      { name: 'backport', summary: 'allow a version below the newest one on its channel' },
      { name: 'draft', summary: 'stop before publishing', conflicts: ['at'] },
      ...publishOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl release ship dist/editor-2.1.0.zip --product editor --version 2.1.0 --key editor.key --passphrase-env RELEASE_PASS',
      'appctl release ship dist/editor-2.2.0-rc.1.zip --product editor --version 2.2.0-rc.1 --channel rc --key env://SIGNING_KEY --changelog-file CHANGES.md --rollout 10% --json | jq -r .id',
      'appctl release ship dist/editor.dmg --product editor --version 2.1.0 --platform darwin --arch arm64 --key editor.key --server https://licenses.example.com --api-key-file admin.token',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleaseShipped),
    load: () => import('./ship.ts').then((actions) => actions.shipRelease),
  },
];
