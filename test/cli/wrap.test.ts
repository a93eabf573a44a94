// Texts for a person fit the terminal; a command and an identifier stay whole.
import { expect, test } from 'vitest';
import { card } from '../../src/cli/card.ts';
import { wrapped } from '../../src/cli/frame/wrap.ts';

const terminal = (columns: number) => ({ isTTY: true, columns }) as NodeJS.WriteStream;
const text = 'the key is taken; to see who has it: appctl license find --key-stdin --json; or try another';

test('lines fit, with room for what stands before the first', () => {
  expect(wrapped(terminal(40), text, 'hint:').split('\n')).toEqual([
    'the key is taken; to see who has',
    '      it:',
    '      appctl license find --key-stdin --json;',
    '      or try another',
  ]);
});

test('an identifier that is longer than the line stays whole', () => {
  const id = `lic_${'0'.repeat(40)}`;
  expect(wrapped(terminal(30), `there is no license ${id} here`)).toBe(`there is no license\n${id}\nhere`);
});

test('what is no terminal gets the text as it is', () => {
  expect(wrapped({ isTTY: false } as NodeJS.WriteStream, text, 'hint:')).toBe(text);
});

test('a value of a card goes on under its own column', () => {
  const lines = card([
    ['email', 'ann@x.test'],
    ['permissions', ['licensing:read', 'licensing:write', 'products:read']],
  ])((_style, text) => text, 40);
  expect(lines.split('\n')).toEqual([
    'email        ann@x.test',
    'permissions  licensing:read,',
    '             licensing:write,',
    '             products:read',
  ]);
});
