// What clients and customers write must not command the terminal of whoever reads it (cli.md section 1.4).
import { describe, expect, test } from 'vitest';
import { confirmChange } from '../../src/cli/frame/confirm.ts';
import { usageError } from '../../src/cli/frame/errors.ts';
import type { Io } from '../../src/cli/frame/io.ts';
import { renderPlain, renderTable } from '../../src/cli/frame/rows.ts';
import { run } from '../../src/cli/frame/run.ts';
import { buildTree } from '../../src/cli/frame/tree.ts';

/** Clears the screen, sets the title by an OSC, and says the same with the one-byte forms of C1. */
const HOSTILE = 'desk\u001b[2J\u001b]0;root\u0007\u009b2J\u007f\u0000\r\nnext\tend';
const control = /(?![\n\t])\p{Cc}/u;
const view = { width: undefined, paint: (_style: unknown, text: string) => text, now: 0 };

describe('control characters become spaces', () => {
  test('in a table, also in a text that a column makes', async () => {
    const rows = [{ id: 'a1', name: HOSTILE }];
    const made = { key: 'made', text: () => HOSTILE };
    const table = await renderTable(rows, [{ key: 'id' }, { key: 'name' }, made], view);
    expect(table).not.toMatch(control);
    expect(table.trimEnd().split('\n')).toHaveLength(2);
    expect(table).toContain('desk [2J ]0;root 2J next end');
  });

  test('in --plain, where only its own tabs and line feeds are left', () => {
    const rows = [{ id: 'a1', name: HOSTILE, inner: { deep: HOSTILE } }];
    const text = renderPlain(rows, [{ key: 'id' }, { key: 'name' }, { key: 'inner' }]);
    expect(text).not.toMatch(control);
    expect(text.split('\t')).toHaveLength(3);
    expect(text.split('\n')).toHaveLength(2);
  });

  test('in what a person is asked to agree to, on one line', async () => {
    const prompts = { possible: false } as never;
    const given = { yes: false, name: undefined, dryRun: false };
    for (const level of ['moderate', 'severe'] as const) {
      const asked = { action: `free ${HOSTILE}`, name: 'lic_1' };
      const refused = await confirmChange(level, asked, given, prompts).catch(
        (error: Error) => error.message,
      );
      expect(refused).toBe('this will free desk [2J ]0;root 2J next end and needs a confirmation');
    }
  });

  test('in notes, warnings, next steps and errors', async () => {
    let stderr = '';
    const stream = { on: () => undefined, isTTY: false };
    const io = {
      stdin: stream,
      stdout: { ...stream, write: () => true },
      stderr: { ...stream, write: (text: string) => void (stderr += text) },
      env: {},
    } as unknown as Io;
    const tree = buildTree(
      [],
      [
        {
          path: 'tell',
          summary: 'tell',
          runs: ['O'],
          examples: ['sample tell'],
          load: async () => async (cli) => {
            cli.note(HOSTILE);
            cli.warn(HOSTILE);
            cli.next(HOSTILE);
            throw usageError(HOSTILE, HOSTILE);
          },
        },
      ],
    );
    expect(await run(tree, ['tell'], io)).toBe(2);
    expect(stderr).not.toMatch(control);
    expect(stderr.match(/desk/g)).toHaveLength(5);
  });
});
