// Commands that are printed to be copied carry the flags that say where they run.
import { describe, expect, test } from 'vitest';
import { firstWords, localOnly, nowhere, placeIn, placing } from '../../src/cli/frame/placed.ts';
import { commandTree } from '../../src/cli/index.ts';

const isNamed = (path: string, list: readonly string[]) =>
  list.some((one) => path === one || path.startsWith(`${one} `));

test('the lists of commands are those of the declarations', async () => {
  const { root, specs } = await commandTree();
  const shown = specs.filter(({ hidden }) => !hidden);
  expect([...new Set(firstWords)].sort()).toEqual(
    [...root.children.keys()].filter((word) => !root.children.get(word)?.spec?.hidden).sort(),
  );
  for (const { path, runs } of shown.filter(({ path }) => !isNamed(path, nowhere)))
    expect([path, isNamed(path, localOnly)]).toEqual([path, !runs.includes('R')]);
  for (const path of localOnly) expect(shown.some((spec) => isNamed(spec.path, [path]))).toBe(true);
});

describe('a line on a server', () => {
  const placed = placing(
    placeIn(['license', 'show', 'x', '--server=https://a.x.test', '--api-key-file', 'my key']),
  );
  const flags = "--server https://a.x.test --api-key-file 'my key'";

  test.each([
    ['appctl license list', `appctl ${flags} license list`],
    [
      'appctl license list; or appctl product list',
      `appctl ${flags} license list; or appctl ${flags} product list`,
    ],
    ['wait, or appctl settings set a 1 lifts it', `wait, or appctl ${flags} settings set a 1 lifts it`],
    // They run elsewhere, or need no place at all.
    ['start one with appctl serve', 'start one with appctl serve'],
    ['appctl webhook events lists them', 'appctl webhook events lists them'],
    ['appctl login https://a.x.test', 'appctl login https://a.x.test'],
    ['appctl license mint --help', 'appctl license mint --help'],
    ['ssh HOST appctl license list', 'ssh HOST appctl license list'],
    ['on the server: appctl admin token create', 'on the server: appctl admin token create'],
    [
      'something other than appctl answered, such as a proxy',
      'something other than appctl answered, such as a proxy',
    ],
  ])('%s', (text, expected) => {
    expect(placed(text)).toBe(expected);
  });
});

test('on this machine they carry its configuration, data directory and tenant, and no password', () => {
  const words = '--data-dir /srv/a b --tenant acme -c app.toml --db postgres://u:secret@h/db --json'.split(
    ' ',
  );
  expect(placing(placeIn(words))('appctl jobs list')).toBe(
    'appctl --config app.toml --data-dir /srv/a --tenant acme jobs list',
  );
  expect(placing(placeIn(['--', '--server', 'x']))('appctl license list')).toBe('appctl license list');
  expect(placing(placeIn(['--json']))('appctl license list')).toBe('appctl license list');
});

test('a command about tenants carries none: the one that was named may be missing', () => {
  const placed = placing(placeIn(['--data-dir', '/srv/a', '--tenant', 'nope']));
  expect(placed('appctl tenant list')).toBe('appctl --data-dir /srv/a tenant list');
});

test('a flag that the command already carries is not written twice', () => {
  const placed = placing(placeIn(['--data-dir', '/srv/a', '--tenant', 'acme']));
  expect(placed('appctl product create --name Editor --data-dir /srv/a')).toBe(
    'appctl --tenant acme product create --name Editor --data-dir /srv/a',
  );
});
