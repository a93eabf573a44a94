import { existsSync } from 'node:fs';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { localMinute } from '#kernel/local-time.ts';
import { prettyLine } from '#kernel/log-pretty.ts';
import { readServerFile, serverAnswers } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { pastAsked } from '../time-asked.ts';
import { isBefore, type LogFilter, type LogLine, type LogSource, matches } from './lines.ts';

const LINES = 100;

/** `appctl logs`; with --follow it ends by a signal, like every command that waits for ever. */
export async function showLogs(cli: Cli): Promise<void> {
  if (cli.out.mode === 'csv' || cli.out.mode === 'plain')
    throw usageError(`--${cli.out.mode} cannot be used with a stream`, 'appctl logs --json');
  const filter = filterOf(cli);
  const limit = limitOf(cli, filter);
  const { config } = await cli.config();
  const source = await sourceOf(config);
  const write = writer(cli);
  const lines = await newest(source, filter, limit);
  for (const line of lines) write(line);
  if (lines.length === 0 && !cli.flag('follow')) cli.note(`no lines match in ${source.name}`);
  if (!cli.flag('follow')) return;
  for await (const line of source.following()) if (matches(line, filter)) write(line);
}

function filterOf(cli: Cli): LogFilter {
  const grep = cli.option('grep');
  return {
    level: cli.option('level'),
    since: pastAsked(cli, 'since', isoTime(systemClock.epochMs()), 'start'),
    grep: grep === undefined ? undefined : expression(grep),
    requestId: cli.option('request-id'),
    source: cli.option('source'),
  };
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch (error) {
    throw usageError(`--grep: ${(error as Error).message}`, "escape what has a meaning: --grep 'a\\[0\\]'");
  }
}

function limitOf(cli: Cli, { since }: LogFilter): number {
  const count = cli.optionalArgument('count');
  const asked = cli.integer('lines');
  if (count === undefined) return asked ?? (since === undefined ? LINES : Number.POSITIVE_INFINITY);
  if (asked !== undefined || !/^\d{1,7}$/.test(count))
    throw usageError(`"${count}" is not a number of lines`, 'appctl logs --lines 50');
  return Number(count);
}

/** @throws CliError (3) where nobody kept a log */
export async function sourceOf(config: Config): Promise<LogSource> {
  const { file } = config.log;
  if (file !== undefined && existsSync(file)) return (await import('./file.ts')).fileSource(file);
  const { installedUnit, journalSource, unitOfProcess } = await import('./journal.ts');
  const isRunning = await serverAnswers(config);
  const pid = isRunning ? readServerFile(config)?.pid : undefined;
  const unit = isRunning ? (pid === undefined ? null : unitOfProcess(pid)) : installedUnit();
  if (unit) return journalSource(unit);
  const { memorySource } = await import('./memory.ts');
  const memory = await memorySource(config);
  if (memory) return memory;
  const why =
    file === undefined
      ? 'no log was found: log.file is not set, no server runs, and systemd runs none'
      : `no log was found: ${file} does not exist`;
  const hint =
    file === undefined
      ? 'set log.file (APPCTL_LOG_FILE) to keep one; without it a server writes its log to where it was started'
      : 'start the server, which creates it: appctl serve';
  throw new CliError(exits.notFound, 'NO_LOG', why, { hint });
}

export async function newest(source: LogSource, filter: LogFilter, limit: number): Promise<LogLine[]> {
  const found: LogLine[] = [];
  if (limit === 0) {
    // Asked all the same: what follows begins where this ends.
    for await (const _ of source.newest()) break;
    return found;
  }
  for await (const line of source.newest()) {
    if (isBefore(line, filter)) break;
    if (matches(line, filter)) found.push(line);
    if (found.length >= limit) break;
  }
  return found.reverse();
}

function writer(cli: Cli): (line: LogLine) => void {
  const { out, io } = cli;
  if (cli.json || cli.fields !== undefined) return ({ record }) => out.record(record);
  if (!io.stdout.isTTY) return ({ text }) => asWritten(cli, [text, '\n']);
  const isColored = out.paint('bold', '.') !== '.';
  // A line shows the time of day alone: where the day changes, it is said.
  let day = dayOf(isoTime(systemClock.epochMs()));
  return ({ text, record: { time } }) => {
    if (time !== null && dayOf(time) !== day) {
      day = dayOf(time);
      out.record({}, () => out.paint('bold', day));
    }
    out.record({}, () => prettyLine(text, isColored).trimEnd());
  };
}

const asWritten = (cli: Cli, parts: readonly string[]): void => cli.out.raw(parts.join(''));

/** In local time. */
const dayOf = (iso: string): string => localMinute(new Date(iso)).slice(0, 'YYYY-MM-DD'.length);
