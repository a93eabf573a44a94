import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const hooksGroup: GroupSpec = {
  path: 'hooks',
  summary: 'create and check hook files that run before and after changes in the shop',
};

export const groups: readonly GroupSpec[] = [hooksGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'hooks check',
    summary: 'load the hook files as the server does at startup, and list what they subscribe to',
    description:
      'Reads the files in hooks_dir and runs their register functions; no hook is called. Exits with 78 if a server would not start.',
    runs: ['O'],
    examples: ['appctl hooks check', 'APPCTL_HOOKS_DIR=./hooks appctl hooks check --json | jq .files'],
    output: () => import('./schemas.ts').then((schemas) => schemas.HooksCheckOutput),
    load: () => import('./check.ts').then((actions) => actions.checkHooks),
  },
  {
    path: 'hooks init',
    summary: 'create the hooks directory with a manual, types and an example',
    description:
      'Creates hooks_dir. Existing files stay as they are; the example is not loaded until you rename it.',
    runs: ['O'],
    examples: ['appctl hooks init'],
    confirm: 'mild',
    output: () => import('./schemas.ts').then((schemas) => schemas.HooksInitOutput),
    load: () => import('./init.ts').then((actions) => actions.initHooks),
  },
];
