import type { CommandSpec } from '../frame/spec.ts';
import {
  productOption,
  publishOptions,
  releaseArgument,
  releaseOptions,
  signatureOptions,
  statementOptions,
  targetOptions,
} from './spec-options.ts';

/** The single steps from a draft to a published release. */
export const draftCommands: readonly CommandSpec[] = [
  {
    path: 'release create',
    summary: 'create a draft of a release',
    description:
      'With --bundle the file is uploaded at once with its signature: from --sig, made with --key, or from FILE.sig.json next to it if there is one.',
    options: [
      ...releaseOptions,
      { name: 'bundle', value: 'FILE', summary: 'file to upload', complete: 'file' },
      ...signatureOptions,
      ...statementOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl release create --product editor --version 2.1.0 --bundle dist/editor-2.1.0.zip',
      'appctl release create --product editor --version 2.1.0 --channel beta --changelog-file - --json < CHANGES.md | jq -r .id',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleasePlan),
    load: () => import('./create.ts').then((actions) => actions.createRelease),
  },
  {
    path: 'release upload',
    summary: 'upload the bundle and signature of a draft',
    description:
      'The signature comes from --sig, is made with --key, or comes from FILE.sig.json next to it if there is one. For a published release it restores damaged or missing bytes.',
    args: [releaseArgument, { name: 'file', summary: 'bundle', complete: 'file' }],
    options: [...signatureOptions, ...statementOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl release upload rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV dist/editor-2.1.0.zip',
      'appctl release upload rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV dist/editor-2.1.0.zip --key editor.key --passphrase-env RELEASE_PASS',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleasePlan),
    load: () => import('./create.ts').then((actions) => actions.uploadBundle),
  },
  {
    path: 'release publish',
    summary: 'publish a draft: clients are offered it from now on',
    description:
      'Refuses a release without bundle or signature, a signature that the ACTIVE key of the product does not verify, and stored bytes that differ from those that were signed. Name the draft by its id, or by --product and --version.',
    args: [{ ...releaseArgument, optional: true }],
    options: [
      productOption('its product, instead of an id', false),
      { name: 'version', value: 'VERSION', summary: 'its version, instead of an id' },
      ...targetOptions,
      ...publishOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl release publish rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      'appctl release publish --product editor --version 2.1.0 --at 2027-01-31T09:00:00Z --rollout 10%',
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleasePlan),
    load: () => import('./publish.ts').then((actions) => actions.publishRelease),
  },
];
