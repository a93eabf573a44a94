import type { Instance } from '../../app/instance.ts';
import { firstSteps } from '../first-steps.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { foldedCommand } from '../frame/wrap.ts';

/** A server that listens. */
interface Ready {
  readonly urls: readonly string[];
  readonly localUrl: string;
  readonly baseUrl: string;
  /** Where a browser makes the owner; null once there is one. */
  readonly setupUrl: string | null;
  /** No server has reached the installation before. */
  readonly isFirst: boolean;
}

type Line = readonly [label: string, text: string];

/** Width of the labels. */
const LABELS = 10;

/** What a person reads of a server that has started: on the first start also what was made and how it goes on. */
export function readyLines(
  cli: Cli,
  { config, database }: Instance,
  { urls, localUrl, baseUrl, setupUrl, isFirst }: Ready,
): (paint: Paint) => string {
  const isOpenable = baseUrl.startsWith('http');
  const lines: Line[] = [
    ...(isFirst ? [['Data', config.dataDir] as const] : []),
    ['Database', database.displayUrl],
    ...(isFirst && config.masterKey === undefined ? [['Master key', config.masterKeyFile] as const] : []),
    ...urls.map((url): Line => ['Listening', url]),
    ...(isOpenable ? [['Panel', `${baseUrl}/admin/`] as const] : []),
    ...(setupUrl === null ? [] : [['Setup', setupUrl] as const, ['', 'one use, 30 minutes'] as const]),
    ...(config.features.license ? [] : [['Licensing', 'off (features.license)'] as const]),
  ];
  return (paint) => {
    const shown = lines.map(([label, text]) => `${paint('dim', label.padEnd(LABELS))} ${text}`);
    if (!isFirst) return shown.join('\n');
    return [
      paint('bold', 'Welcome to appctl. This is a new installation.'),
      '',
      ...shown,
      '',
      ...newcomer(cli, config.masterKey === undefined, { localUrl, features: config.features }),
      '',
    ].join('\n');
  };
}

/** What nobody may miss, and what leads to the first license. */
function newcomer(
  cli: Cli,
  isKeyInFile: boolean,
  { localUrl, features }: { localUrl: string; features: { license: boolean } },
): string[] {
  const width = cli.io.stdout.isTTY ? cli.io.stdout.columns || undefined : undefined;
  const command = (text: string) => foldedCommand(cli.placed(text), width, '  ');
  const steps = firstSteps({ slug: 'editor', hasProduct: false, origin: localUrl });
  return [
    ...(isKeyInFile
      ? [
          'Keep a copy of the master key in a safe place, apart from the backups:',
          'without it nobody can read the license keys, not even you.',
          '',
        ]
      : []),
    'Leave this running. In a second terminal, in this folder, create the owner:',
    command('appctl open'),
    'or without a browser:',
    command('appctl setup'),
    ...(features.license
      ? ['', 'Then create a first license, and validate it as your application would:']
      : []),
    ...(features.license ? steps.map(command) : []),
  ];
}
