import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'doctor',
    summary: 'find problems, and repair those that can be repaired',
    description:
      'Each check says what it found, why it matters and how to fix it. Exits with 6 if a check fails, and with --strict also with 8 if one warns.',
    args: [
      {
        name: 'check',
        summary: 'checks to run, for example db.integrity; all by default',
        optional: true,
        variadic: true,
        complete: checkIds,
      },
    ],
    options: [
      {
        name: 'category',
        value: 'NAME',
        summary: 'only checks of this category, for example db; launch for the launch checklist',
      },
      { name: 'list', summary: 'list the checks without running them' },
      { name: 'fix', summary: 'repair what the checks marked * can repair' },
      { name: 'strict', summary: 'exit with 8 if a check warns' },
      {
        name: 'bundle',
        value: 'FILE',
        summary: 'also write an archive without secrets, as appctl support archive does',
        complete: 'file',
        conflicts: ['list'],
      },
    ],
    runs: ['L'],
    examples: [
      'appctl doctor',
      'appctl doctor --category db',
      'appctl doctor --category launch',
      'appctl doctor env.file-permissions --fix',
      'appctl doctor --bundle case-4711.tar.zst',
    ],
    confirm: 'mild',
    dryRun: false,
    exits: [3, 5, 6, 8],
    output: () => import('./schemas.ts').then((schemas) => schemas.DoctorOutput),
    load: () => import('./doctor.ts').then((actions) => actions.runDoctor),
  },
];

async function checkIds() {
  const { completeCheckIds } = await import('./doctor.ts');
  return completeCheckIds;
}
