import { change, one, page } from '../answers.ts';
import { keyAlphabets, keyChecksums } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/catalog/key-formats/view.ts');

const keyformatGroup: GroupSpec = { path: 'keyformat', summary: 'manage what license keys look like' };

const formatArgument: ArgSpec = {
  name: 'format',
  summary: 'name or id of the key format',
  complete: () => import('../completers.ts').then((completers) => completers.completeKeyFormats),
};
const prefix: OptionSpec = {
  name: 'prefix',
  value: 'TEXT',
  summary: 'start of the keys: 2 to 10 characters A-Z or 0-9',
};
const segments: OptionSpec = {
  name: 'segments',
  value: 'N',
  summary: 'groups of four characters after the prefix',
  type: 'integer',
  min: 4,
  max: 20,
};
const alphabet: OptionSpec = {
  name: 'alphabet',
  value: 'NAME',
  summary: 'characters used in the groups',
  choices: keyAlphabets,
};
const checksum: OptionSpec = {
  name: 'checksum',
  value: 'NAME',
  summary: 'check character at the end',
  choices: keyChecksums,
};

export const groups: readonly GroupSpec[] = [keyformatGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'keyformat create',
    summary: 'create a key format',
    description:
      'By default: CROCKFORD32 and no check character. A format needs at least 64 bits of randomness.',
    options: [
      { name: 'name', value: 'NAME', summary: 'name of the format', required: true },
      { ...prefix, required: true },
      { ...segments, required: true },
      alphabet,
      checksum,
    ],
    runs: ['L', 'R'],
    examples: ['appctl keyformat create --name long --prefix EDIT --segments 5 --checksum LUHN'],
    confirm: 'mild',
    exits: [4, 5],
    output: change(views, 'KeyFormatView'),
    load: () => import('./change.ts').then((actions) => actions.createKeyFormat),
  },
  {
    path: 'keyformat list',
    summary: 'list the key formats',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl keyformat list'],
    exits: [4],
    output: page(views, 'KeyFormatView'),
    load: () => import('./read.ts').then((actions) => actions.listKeyFormats),
  },
  {
    path: 'keyformat show',
    summary: 'show one key format, with samples',
    args: [formatArgument],
    runs: ['L', 'R'],
    examples: ['appctl keyformat show long'],
    exits: [3, 4],
    output: one(views, 'KeyFormatView'),
    load: () => import('./read.ts').then((actions) => actions.showKeyFormat),
  },
  {
    path: 'keyformat update',
    summary: 'change a key format; existing keys stay as they are',
    args: [formatArgument],
    options: [{ name: 'name', value: 'NAME', summary: 'new name' }, prefix, segments, alphabet, checksum],
    runs: ['L', 'R'],
    examples: ['appctl keyformat update long --segments 6'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'KeyFormatView'),
    load: () => import('./change.ts').then((actions) => actions.updateKeyFormat),
  },
  {
    path: 'keyformat delete',
    summary: 'delete a key format that nothing uses',
    args: [formatArgument],
    runs: ['L', 'R'],
    examples: ['appctl keyformat delete long'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'KeyFormatView'),
    load: () => import('./change.ts').then((actions) => actions.deleteKeyFormat),
  },
  {
    path: 'keyformat preview',
    summary: 'show what keys in a format would look like; nothing is stored',
    args: [{ ...formatArgument, optional: true }],
    options: [prefix, segments, alphabet, checksum],
    runs: ['L', 'R'],
    examples: [
      'appctl keyformat preview --prefix EDIT --segments 5',
      'appctl keyformat preview long --segments 6',
    ],
    exits: [3, 4],
    output: one(views, 'KeyFormatPreviewView'),
    load: () => import('./read.ts').then((actions) => actions.previewKeyFormat),
  },
];
