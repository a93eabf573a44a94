// Commands that are copied from a page are read by a shell as they were meant, whatever somebody typed.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { command, fromStdin, pairs, unless, yesOrNo } from '#platform/admin/index.ts';
import { isPasted, shellWord } from '#platform/panel/screens/command.ts';

it.each([
  'plain',
  'two words',
  "it's; rm -rf ~ && echo $(id) `id`",
  '"double" \\ $HOME *',
  "'",
  'a\nb\tc',
  '\u202e<b>é',
  '',
])('a shell reads %j as one word', (text) => {
  expect(isPasted(text)).toBe(true);
  expect(execFileSync('sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
});

it.each(['\u0003id', '\u001b[201~id', 'a\rb', '\u007f', '\u009b2J', '\0'])('a terminal obeys %j', (text) => {
  expect(isPasted(text)).toBe(false);
});

const lines = (input: Record<string, unknown>, keys: string[] = []) =>
  command('thing make', {
    flags: {
      meta: pairs('meta'),
      enabled: unless('disabled'),
      strict: yesOrNo('strict'),
      secret: fromStdin('secret'),
      hidden: null,
    },
  }).lines({ input, named: {}, items: keys.map((key) => ({ key, view: {} })) });

it.each([
  [{ maxUses: 3, isX: true, off: false, none: null, list: [] }, ['--max-uses', '3', '--is-x']],
  [{ list: ['a', 'b'] }, ['--list', 'a', '--list', 'b']],
  [{ name: '-x' }, ['--name=-x']],
  [{ customerEmail: '' }, ['--customer-email', 'CUSTOMER_EMAIL']],
  [{ meta: { a: '1', b: '2' } }, ['--meta', 'a=1', '--meta', 'b=2']],
  [{ enabled: false, strict: false, secret: 'shh' }, ['--disabled', '--strict=no', '--secret-stdin']],
])('%j is said by flags', (input, words) => {
  expect(lines(input)).toEqual([['thing', 'make', ...words]]);
});

it('says nothing where the command could only do a part of it', () => {
  expect(lines({ hidden: 'x' })).toBeNull();
  expect(lines({ meta: { a: 1 } })).toBeNull();
});

it('is a line for each item unless the command takes several', () => {
  expect(lines({}, ['one', 'two'])).toEqual([
    ['thing', 'make', 'one'],
    ['thing', 'make', 'two'],
  ]);
  const many = command('thing end', { isForMany: true, confirm: 'yes' });
  const items = ['one', 'two'].map((key) => ({ key, view: {} }));
  expect(many.lines({ input: {}, named: {}, items })).toEqual([['thing', 'end', 'one', 'two', '--yes']]);
});
