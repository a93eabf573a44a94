import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'completion',
    summary: 'print or install the completion script of a shell',
    description:
      'Completes commands, flags, values, and names that only the installation knows, such as slugs of products. --install writes the script to where your shell looks for it; PowerShell, which has no such folder, gets a line in its profile.',
    args: [{ name: 'shell', summary: 'name of the shell', choices: ['bash', 'zsh', 'fish', 'powershell'] }],
    options: [{ name: 'install', summary: 'install it for your account' }],
    runs: ['O'],
    examples: [
      'appctl completion bash --install',
      'source <(appctl completion zsh)',
      'appctl completion fish > ~/.config/fish/completions/appctl.fish',
      'appctl completion powershell | Out-String | Invoke-Expression',
    ],
    confirm: 'mild',
    stream: 'raw',
    exits: [5],
    load: () => import('./script.ts').then((actions) => actions.completion),
  },
  {
    path: 'complete-words',
    summary: 'complete a command line for a completion script',
    args: [{ name: 'words', summary: 'the words typed so far', optional: true, variadic: true }],
    options: [{ name: 'new-word', summary: 'complete a word that is not begun yet' }],
    runs: ['O'],
    examples: ['appctl complete-words -- config sh'],
    stream: 'raw',
    hidden: true,
    load: () => import('./words.ts').then((actions) => actions.completeWords),
  },
];
