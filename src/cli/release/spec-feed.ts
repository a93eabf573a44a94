import { releaseChannels } from '../choices.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { productOption } from './spec-options.ts';

/** Files for a web server that knows nothing of licenses. */
export const feedCommands: readonly CommandSpec[] = [
  {
    path: 'release feed',
    summary: 'write the releases of a product as files for a CDN',
    description:
      'Writes one file per channel, with the published releases that anybody may have: fully rolled out and without required features. A channel includes the more stable ones, as the update check does: beta includes rc and stable. --bundles writes the bundles to files/ID/NAME below DIR, which is where the addresses point. Tauri and Sparkle need their own signatures: ship with --tauri or --sparkle. The files of json and tauri have the same names: give each format its own DIR.',
    options: [
      productOption('product', true),
      {
        name: 'format',
        value: 'FORMAT',
        summary: 'json with everything, appcast for Sparkle, tauri for its updater',
        choices: ['json', 'appcast', 'tauri'],
        required: true,
      },
      {
        name: 'out',
        value: 'DIR',
        summary: 'folder for the files; those of an earlier run are replaced',
        required: true,
        complete: 'file',
      },
      {
        name: 'channel',
        value: 'CHANNEL',
        summary: 'only this channel',
        choices: releaseChannels,
        repeat: true,
      },
      {
        name: 'base-url',
        value: 'URL',
        summary: 'address of the bundles: next to the feed by default',
      },
      { name: 'bundles', summary: 'also write the bundles into DIR' },
    ],
    runs: ['L'],
    examples: [
      'appctl release feed --product editor --format json --out public/json --bundles',
      'appctl release feed --product editor --format tauri --base-url https://cdn.example.com/tauri --out public/tauri --bundles',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output: () => import('./schemas-release.ts').then((schemas) => schemas.ReleaseFeedShape),
    load: () => import('./feed.ts').then((actions) => actions.writeFeed),
  },
];
