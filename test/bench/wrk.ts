// Load with wrk, which costs the machine less than autocannon; it must be on PATH.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output } from './child.ts';
import type { LoadResult, Shot } from './load-job.ts';
import { endedChildrenCpuSeconds } from './process-figures.ts';

/** What wrk sends over and over, and how a right answer is told. */
export interface WrkLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly shots: readonly Shot[];
  /** Of every request whose shot has none of its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text that stands in every right answer. */
  readonly proof: string;
  /** Begins what stands in a shot in place of `machineMark`. */
  readonly tag: string;
}

/** What the script below prints at the end, beside wrk's own lines. */
interface Summary {
  acknowledged: number;
  microseconds: number;
  p50: number;
  p99: number;
  wrong: number;
}

const GRACE_SECONDS = 20;
/** Another text for each request. */
export const machineMark = '@machine@';

/** A Lua string: JSON's escapes are Lua's for the texts that stand in a shot. */
const quoted = (text: string): string => JSON.stringify(text);

/** A Lua table, or nil for the headers of every request. */
const tableOf = (headers: Record<string, string> | undefined): string =>
  headers === undefined
    ? 'nil'
    : `{${Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)}}`;

/** Counts right answers itself: wrk's own total leaves out none of the wrong ones. */
function script({ shots, headers: ofAll, proof, tag }: WrkLoad): string {
  const lines = shots.map(
    ({ method, path, body, headers }) =>
      `  {${quoted(method)}, ${quoted(path)}, ${body === undefined ? 'nil' : quoted(body)}, ${tableOf(headers)}},`,
  );
  const headers = Object.entries(ofAll).map(
    ([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`,
  );
  return `
local shots = {
${lines.join('\n')}
}
${headers.join('\n')}
local made = {}
local threads = {}
local sent = 0
acknowledged = 0
wrong = 0

function setup(thread)
  table.insert(threads, thread)
end

function init()
  if shots[1][3] and shots[1][3]:find(${quoted(machineMark)}, 1, true) then return end
  for i, shot in ipairs(shots) do made[i] = wrk.format(shot[1], shot[2], shot[4], shot[3]) end
end

function request()
  local i = sent % #shots + 1
  sent = sent + 1
  if made[i] then return made[i] end
  local machine = string.format("%s-%07d", ${quoted(tag)}, sent)
  local shot = shots[i]
  return wrk.format(shot[1], shot[2], nil, (shot[3]:gsub(${quoted(machineMark)}, machine, 1)))
end

function response(status, headers, body)
  if status == 200 and body:find(${quoted(proof)}, 1, true) then
    acknowledged = acknowledged + 1
  else
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local right, bad = 0, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do
    right = right + thread:get("acknowledged")
    bad = bad + thread:get("wrong")
  end
  print(string.format('summary {"acknowledged":%d,"microseconds":%d,"p50":%d,"p99":%d,"wrong":%d}',
    right, summary.duration, latency:percentile(50), latency:percentile(99), bad))
end
`;
}

/** Sends the shots over and over for some seconds. @throws Error when wrk fails */
export async function runWrk(load: WrkLoad): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'appctl-bench-wrk-'));
  const file = join(folder, 'load.lua');
  writeFileSync(file, script(load));
  const { connections, seconds, url } = load;
  try {
    const words = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', file, url];
    const printed = await output('wrk', words, (seconds + GRACE_SECONDS) * 1000);
    const summary = /^summary (.*)$/m.exec(printed)?.[1];
    if (summary === undefined) throw new Error(`wrk printed no summary: ${printed}`);
    return resultOf(JSON.parse(summary) as Summary, connections);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultOf({ acknowledged, microseconds, p50, p99, wrong }: Summary, connections: number): LoadResult {
  const seconds = microseconds / 1e6;
  return {
    acknowledged,
    seconds,
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    clientCpuPercent: (endedChildrenCpuSeconds() / seconds) * 100,
    wrong,
    // wrk ends in the middle of a request on each connection.
    cutOff: connections,
  };
}
