import { releaseChannels } from '../choices.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { productOption } from './spec-options.ts';

/** Files for a web server that knows nothing of licenses. */
export const feedCommands: readonly CommandSpec[] = [
  {
    path: 'release feed',
    summary: 'write the releases of a product as files for a CDN',
    description:
      'One file for each channel, with the published releases that anybody may have: whole rollouts without required features. A channel takes the calmer ones too, as the update check does: beta takes rc and stable. --bundles writes the bundles to files/ID/NAME below DIR, which is where the addresses point. Tauri and Sparkle need signatures of their own: ship with --tauri, --sparkle. The files of json and tauri have the same names: give each format its own DIR.',
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
        summary: 'address that the bundles will have: beside the feed when left out',
      },
      { name: 'bundles', summary: 'write the bundles into DIR too' },
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
