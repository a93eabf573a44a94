import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '#kernel/config/errors.ts';
import { prettyLine } from '#kernel/log-pretty.ts';
import { openServerLog } from '#kernel/server-log.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually } from '../support/server-process.ts';

let folder: string;
beforeAll(() => {
  folder = scratchFolder('appctl-log-');
});
afterAll(() => rmSync(folder, { recursive: true }));

const noTerminal = { isTty: false, color: false };
const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

describe('the log of a server', () => {
  test('lines wait for a block, and no longer than a second', async () => {
    const file = join(folder, 'blocks.log');
    const { log } = openServerLog({ level: 'info', format: 'auto', file }, 2, noTerminal);
    log.info({ password: 'geheim', n: 1 }, 'one');
    expect(textOf(file)).toBe('');
    await eventually(() => textOf(file) !== '');
    expect(JSON.parse(textOf(file))).toMatchObject({ level: 'info', msg: 'one', n: 1, password: '***' });
  });

  test('drain writes at once, reopen makes a new file, setLevel counts', async () => {
    const file = join(folder, 'reopen.log');
    const serverLog = openServerLog({ level: 'info', format: 'json', file }, 2, noTerminal);
    serverLog.log.info('before');
    await serverLog.drain();
    renameSync(file, `${file}.1`);
    serverLog.reopen();
    await eventually(() => existsSync(file));
    serverLog.setLevel('debug');
    serverLog.log.debug('after');
    await eventually(() => textOf(file) !== '');
    expect([textOf(`${file}.1`), textOf(file)].map((text) => JSON.parse(text).msg)).toEqual([
      'before',
      'after',
    ]);
  });

  test('moves to another descriptor, unless it has a file of its own', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const [a, b] = [openSync(first, 'a'), openSync(second, 'a')];
    const serverLog = openServerLog({ level: 'info', format: 'auto', file: undefined }, a, noTerminal);
    serverLog.log.info('one');
    serverLog.moveTo(b);
    serverLog.log.info('two');
    await serverLog.drain();
    expect([textOf(first), textOf(second)].map((text) => JSON.parse(text).msg)).toEqual(['one', 'two']);
    for (const fd of [a, b]) closeSync(fd);
  });

  test('a file that cannot be opened is a problem of the configuration', () => {
    const config = { level: 'info', format: 'auto', file: join(folder, 'no/where.log') } as const;
    expect(() => openServerLog(config, 2, noTerminal)).toThrow(ConfigError);
  });

  test('a full disk loses lines and ends nothing', async () => {
    const [full, room] = [openSync('/dev/full', 'a'), openSync(join(folder, 'room'), 'a')];
    const config = { level: 'info', format: 'json', file: undefined } as const;
    const { log, drain, moveTo } = openServerLog(config, full, noTerminal);
    for (let i = 0; i < 100_000; i++) log.info('a line that finds no place on the disk, again and again');
    await drain();
    await new Promise((resolve) => setImmediate(resolve));
    moveTo(room);
    log.info('still here');
    await drain();
    expect(JSON.parse(textOf(join(folder, 'room')))).toMatchObject({ msg: 'still here' });
    for (const fd of [full, room]) closeSync(fd);
  });
});

describe('a line for a person', () => {
  const time = '2026-03-01T12:00:00.123Z';

  test('holds time, level, message and fields, then the stack', () => {
    const record = {
      level: 'warn',
      time,
      msg: 'slow',
      ms: 12,
      route: '/a b',
      ip: null,
      err: { stack: 'Error: x\n at y' },
    };
    const text = prettyLine(JSON.stringify(record), false);
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d\.123 (?:UTC|[+-]\d\d:\d\d) WARN {2}slow ms=12 route="\/a b"\n {4}Error: x\n {4} at y\n$/,
    );
    expect(prettyLine(JSON.stringify(record), true)).toContain('\u001b[');
  });

  test('what is no record stays as it is', () => {
    for (const line of ['plain text\n', '"text"', 'null', '{']) expect(prettyLine(line, false)).toBe(line);
  });
});
