import { result } from '../answers.ts';
import type { ArgSpec, CommandSpec } from '../frame/spec.ts';

const idArgument: ArgSpec = { name: 'id', summary: 'id of the license' };
const output = result('trashed', 'restored', 'purged');

export const trashCommands: readonly CommandSpec[] = [
  {
    path: 'license delete',
    summary: 'move a license to the trash; its machines are deactivated and its key stops working',
    description:
      'It stays there for licensing.trash_days (30) and can be restored. `license list --trashed` shows the trash.',
    args: [idArgument],
    options: [{ name: 'reason', value: 'TEXT', summary: 'reason, stored in the timeline' }],
    runs: ['L', 'R'],
    examples: ['appctl license delete lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "made by mistake" --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output,
    load: () => import('./trash.ts').then((actions) => actions.trashLicense),
  },
  {
    path: 'license restore',
    summary: 'restore a license from the trash, in its prior status and without machines',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl license restore lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    confirm: 'mild',
    exits: [3],
    output,
    load: () => import('./trash.ts').then((actions) => actions.restoreLicense),
  },
  {
    path: 'license purge',
    summary: 'delete a license in the trash for good',
    description: 'Its key, machines and usage go with it; its timeline stays.',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: [
      'appctl license purge lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --confirm lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    ],
    confirm: 'severe',
    exits: [3, 5, 10],
    output,
    load: () => import('./trash.ts').then((actions) => actions.purgeLicense),
  },
];
