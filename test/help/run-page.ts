// Runs the commands of one page of the manual, as they are written and in their order, on an installation of its own.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '#platform/help/index.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import {
  blocksOf,
  DOCUMENTED_PORT,
  filesOf,
  freePort,
  preparationOf,
  runScript,
} from '../support/command-blocks.ts';
import { appctl, commandFolder } from '../support/command-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

export interface PageWorld {
  /** Words after `appctl serve` when the page speaks with a server. */
  readonly serve?: readonly string[];
  /** Configuration of the page's installation, beside what all have. */
  readonly env?: Readonly<Record<string, string>>;
  /** A page whose first commands its reader has run before, and how many blocks of them. */
  readonly after?: { readonly topic: string; readonly blocks: number };
  /** Commands that stand for what the reader does beside them: run before the page's own, and after them. */
  readonly around?: { readonly before?: string; readonly after?: string };
  /** Programs of Node: the page's own commands are run with each, every time by another user. */
  readonly nodes?: readonly { readonly path: string }[];
  /** What the reader does in a browser afterwards. @param cwd folder of the page's files */
  readonly visit?: (cwd: string) => Promise<void>;
  /** What stands for something of the reader's: the text of the page, and what it is here. */
  readonly instead?: (port: number) => Promise<Readonly<Record<string, string>>>;
}

/** What "Integrate the client" prepares for every page about an application: the server, and the package. */
export const prepared = { topic: 'use-the-client', blocks: 2 };

/**
 * Declares the test of a page. The installation has the product `editor`, sold and without a license.
 * @param topic the page `templates/help/<topic>.md`
 */
export function testPage(
  topic: string,
  { serve, env: more = {}, instead = async () => ({}), after, around = {}, nodes, visit }: PageWorld = {},
): void {
  let world: Installation;
  let server: ServerProcess | undefined;
  let env: Record<string, string>;
  let replaced: Record<string, string>;

  beforeAll(async () => {
    world = await prepareInstallation();
    await world.inside(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    const port = await freePort();
    env = {
      PATH: `${commandFolder(world.cwd)}:/usr/bin:/bin`,
      HOME: world.cwd,
      NODE_COMPILE_CACHE: compileCache,
      APPCTL_LISTEN: `127.0.0.1:${port}`,
      // Nothing comes from a registry.
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_audit: 'false',
      ...more,
    };
    replaced = { [`:${DOCUMENTED_PORT}`]: `:${port}`, ...(await instead(port)) };
    if (serve) server = await startServer(serve, { cwd: world.cwd, env, command: appctl });
  }, 60_000);

  afterAll(async () => {
    await server?.stop();
    world?.remove();
  });

  test(`every command of the page ${topic} works as it is written`, async () => {
    const pages = [...(after === undefined ? [] : [readPage(after.topic)]), readPage(topic)];
    const [page = '', ...before] = pages.reverse();
    const blocks = blocksOf(page);
    const files = filesOf(page);
    expect(blocks.length + files.length).toBeGreaterThan(0);
    const here = (text: string): string =>
      Object.entries(replaced).reduce(
        (whole, [written, instead]) => whole.replaceAll(written, instead),
        text,
      );
    for (const file of [...before.flatMap(filesOf), ...files])
      writeFileSync(join(world.cwd, file.name), here(file.text));
    const own = [...blocks, around.after ?? ''];
    const script = [
      ...before.flatMap((one) => blocksOf(one).slice(0, after?.blocks)),
      ...[around.before ?? '', preparationOf(page)],
      ...(nodes?.flatMap(({ path }, place) => [asUser(dirname(path), place), ...own]) ?? own),
    ].join('\n');
    const { code, output } = await runScript(here(script), { cwd: world.cwd, env });
    expect(code, output.slice(-4000)).toBe(0);
    await visit?.(world.cwd);
  }, 240_000);
}

/** A user whose Node is in that folder. The command `appctl` stays the same. */
const asUser = (folder: string, place: number): string =>
  `export HOME="$PWD/user-${place}"; mkdir -p "$HOME"; PATH="\${PATH%%:*}:${folder}:/usr/bin:/bin"`;
