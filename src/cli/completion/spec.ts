import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'completion',
    summary: 'print the completion script for a shell',
    args: [{ name: 'shell', summary: 'name of the shell', choices: ['bash', 'zsh', 'fish'] }],
    runs: ['O'],
    examples: [
      'source <(appctl completion bash)',
      'source <(appctl completion zsh)',
      'appctl completion fish > ~/.config/fish/completions/appctl.fish',
    ],
    stream: 'raw',
    load: () => import('./script.ts').then((actions) => actions.printCompletionScript),
  },
  {
    path: 'complete-words',
    summary: 'complete a command line for a completion script',
    args: [{ name: 'words', summary: 'the words typed so far', optional: true, variadic: true }],
    runs: ['O'],
    examples: ['appctl complete-words -- config sh'],
    stream: 'raw',
    hidden: true,
    load: () => import('./words.ts').then((actions) => actions.completeWords),
  },
];
