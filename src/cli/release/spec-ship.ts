import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { publishOptions, releaseOptions, statementOptions } from './spec-options.ts';

/** One step for a build machine: sign, make, upload, publish. */
export const shipCommands: readonly CommandSpec[] = [
  {
    path: 'release ship',
    summary: 'sign a bundle, upload it and publish the release, in one step',
    description:
      'Everything that can be known beforehand is checked first: the key and its passphrase, that the product takes the key, that the version is new and above the newest one of its channel, the room on the disk. When the product has no key at all, the public half of KEY becomes its ACTIVE one. A call that broke off is repeated as it was; for a release that is published with the same bytes it does nothing and ends with 0.',
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
      { name: 'sha256', value: 'HEX', summary: 'refuse a file with another digest' },
      { name: 'comment', value: 'TEXT', summary: 'words for FILE.sig.json' },
      { name: 'tauri', summary: "sign it for Tauri's updater too" },
      { name: 'sparkle', summary: 'sign it for Sparkle too, which reads the file twice more' },
      { name: 'force', summary: 'replace the signature of another file or key' },
      { name: 'backport', summary: 'a version below the newest one of its channel is meant' },
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
