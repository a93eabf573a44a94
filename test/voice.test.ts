// What people read is plain: no number of a decision, no name of a source file, no phrase that has a plainer one.
import { describe, expect, it } from 'vitest';
import { allTexts, textsOf, voiceFaults } from './support/voice-rules.ts';

const texts = allTexts();

it('finds the texts of commands, pages, mails, the manual and the shop', () => {
  const places = [
    'src/cli/',
    'src/licensing/',
    'templates/help/',
    'templates/mail/',
    'templates/panel/',
    'en.json ',
  ];
  for (const place of places)
    expect([place, texts.filter(({ at }) => at.startsWith(place)).length > 20]).toEqual([place, true]);
});

it('has no fault', () => {
  expect(voiceFaults(texts)).toEqual([]);
});

describe('the rules', () => {
  const said = (text: string) => voiceFaults([{ at: 'src/cli/a.ts:1', text }]).length;

  it.each([
    'The key is refused (D12)',
    'see decision 0057 for more',
    'as licensing 6.2 says it',
    'look into serve.ts first',
    'an event that tells of it',
    'who is told about it',
    'there is no product nope',
    'foo is no listen address',
    'a value in place of another',
    'what stands in the file',
    'files lie in a folder',
  ])('find a fault in: %s', (text) => {
    expect(said(text)).toBe(1);
  });

  it.each([
    'product nope was not found',
    '"foo" is not a valid listen address',
    'It is no longer sold',
    'kept in S3 storage',
    'Fits A4 and US Letter',
    'appctl told the server to stop',
  ])('have nothing against: %s', (text) => {
    expect(said(text)).toBe(0);
  });

  it('read what a template fills in as a gap, and no comments or statements', () => {
    const gap = ['$', '{b}'].join('');
    const text = `// there is no word here\nconst a = \`there is no ${gap}\`;\nconst c = 'SELECT id FROM a WHERE b is no c';`;
    expect(textsOf({ file: 'src/a.ts', text })).toEqual([{ at: 'src/a.ts:2', text: 'there is no {}' }]);
  });
});
