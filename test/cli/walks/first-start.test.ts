// From nothing to a license that an application has validated, with nothing but what the program prints.
import { expect } from 'vitest';
import { type Seen, testWalk } from '../../support/walk.ts';

/** The command that the screen shows, as it is pasted: what is folded is one command. */
const printed = (start: string, end = '') => ({
  line: ({ text }: Seen) => {
    const all = text.replaceAll(/ \\\n +/g, ' ').split('\n');
    const found = all
      .map((line) => line.trim().replace(/^Next: /, ''))
      .findLast((line) => line.startsWith(start) && line.endsWith(end));
    expect({ start, found }).toEqual({ start, found: expect.any(String) });
    return found ?? '';
  },
});

testWalk('first-start', {
  steps: (port) => [
    { line: `appctl serve --listen 127.0.0.1:${port}`, until: 'applied=' },
    {
      ...printed('appctl setup'),
      answers: [
        ["Owner's email", 'ann@example.com'],
        ['Generate a password', ''],
        ['two-factor', ''],
        ['first license product', 'y'],
        ['Its name', 'Note Editor'],
        ['Its slug', ''],
        ['sample data', ''],
        ['Apply?', ''],
      ],
    },
    printed('API_KEY='),
    printed('KEY='),
    printed('curl', 'activate'),
    printed('curl', 'validate'),
  ],
});
