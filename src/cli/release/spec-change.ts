import { result } from '../answers.ts';
import { releaseChannels } from '../choices.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { releaseArgument, statementOptions } from './spec-options.ts';

const id = 'rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const planned = () => import('./schemas-release.ts').then((schemas) => schemas.ReleasePlan);

/** Commands on a release that is out. */
export const changeCommands: readonly CommandSpec[] = [
  {
    path: 'release yank',
    summary: 'withdraw a release: stop offering and serving it',
    args: [releaseArgument],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'reason, stored in the timeline', required: true },
      { name: 'unpublish-file', summary: 'also delete its bytes, unless another release has them' },
    ],
    runs: ['L', 'R'],
    examples: [`appctl release yank ${id} --reason "loses settings on Windows 10" --yes`],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: planned,
    load: () => import('./withdraw.ts').then((actions) => actions.yankRelease),
  },
  {
    path: 'release unyank',
    summary: 'undo a withdrawal: the release is published or archived as before',
    args: [releaseArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'reason, stored in the timeline' }],
    runs: ['L', 'R'],
    examples: [`appctl release unyank ${id} --yes`],
    confirm: 'moderate',
    exits: [3, 4, 5, 6, 10],
    output: planned,
    load: () => import('./withdraw.ts').then((actions) => actions.unyankRelease),
  },
  {
    path: 'release promote',
    summary: 'move a published release to another channel',
    description:
      'A release with a statement needs a new one for the new channel, signed here with KEY, the key that signed the release. The bytes stay as they are.',
    args: [releaseArgument],
    options: [
      {
        name: 'to',
        value: 'CHANNEL',
        summary: 'channel to move it to',
        choices: releaseChannels,
        required: true,
      },
      { name: 'key', value: 'KEY', summary: 'private key for the new statement', complete: 'file' },
      ...secretOptions('passphrase', 'the passphrase of the private key'),
      ...statementOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      `appctl release promote ${id} --to stable`,
      `appctl release promote ${id} --to stable --key editor.key --passphrase-env RELEASE_PASS`,
    ],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: planned,
    load: () => import('./promote.ts').then((actions) => actions.promoteRelease),
  },
  {
    path: 'release renew',
    summary: 'renew the statement of a published release, so that it lasts longer',
    description:
      'Clients refuse a release whose statement has expired. KEY is the key that signed the release; nothing else about the release changes.',
    args: [releaseArgument],
    options: [
      { name: 'key', value: 'KEY', summary: 'private key', required: true, complete: 'file' },
      ...secretOptions('passphrase', 'the passphrase of the private key'),
      ...statementOptions.filter(({ name }) => name === 'statement-days'),
    ],
    runs: ['L', 'R'],
    examples: [`appctl release renew ${id} --key editor.key --passphrase-env RELEASE_PASS`],
    confirm: 'mild',
    exits: [3, 4, 5, 6],
    output: planned,
    load: () => import('./promote.ts').then((actions) => actions.renewRelease),
  },
  {
    path: 'release rollout',
    summary: 'offer a release to more machines, or stop new offers',
    description:
      'A machine that was offered the release keeps being offered it. 0% stops new offers but keeps downloads valid; yank withdraws the release. A schedule raises the share automatically.',
    args: [releaseArgument],
    options: [
      { name: 'percent', value: 'N', summary: 'share of the machines, 0 to 100, with at most two decimals' },
      {
        name: 'schedule',
        value: 'TIME=N',
        summary: 'share from this time on, such as 2027-02-01=50; replaces the schedule',
        repeat: true,
        conflicts: ['clear-schedule'],
      },
      { name: 'clear-schedule', summary: 'remove the schedule' },
      { name: 'pause', summary: 'stop at the current share', conflicts: ['resume'] },
      { name: 'resume', summary: 'continue the schedule' },
    ],
    runs: ['L', 'R'],
    examples: [
      `appctl release rollout ${id} --percent 100`,
      `appctl release rollout ${id} --percent 10 --schedule 2027-02-01=50 --schedule 2027-02-08=100`,
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: planned,
    load: () => import('./rollout.ts').then((actions) => actions.rollOutRelease),
  },
  {
    path: 'release archive',
    summary: 'stop offering a release; anyone who knows its id can still download it',
    args: [releaseArgument],
    runs: ['L', 'R'],
    examples: [`appctl release archive ${id}`],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: planned,
    load: () => import('./withdraw.ts').then((actions) => actions.archiveRelease),
  },
  {
    path: 'release delete',
    summary: 'delete a draft',
    args: [releaseArgument],
    runs: ['L', 'R'],
    examples: [`appctl release delete ${id}`],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: result('deleted'),
    load: () => import('./withdraw.ts').then((actions) => actions.deleteRelease),
  },
];
