// Runs the commands of one page of the manual, as they are written and in their order, on an installation of its own.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '#platform/help/index.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { blocksOf, DOCUMENTED_PORT, freePort, preparationOf, runScript } from '../support/command-blocks.ts';
import { appctl, commandFolder } from '../support/command-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

interface PageWorld {
  /** Words after `appctl serve` when the page speaks with a server. */
  readonly serve?: readonly string[];
  /** Configuration of the page's installation, beside what all have. */
  readonly env?: Readonly<Record<string, string>>;
  /** What stands for something of the reader's: the text of the page, and what it is here. */
  readonly instead?: (port: number) => Promise<Readonly<Record<string, string>>>;
}

/**
 * Declares the test of a page. The installation has the product `editor`, sold and without a license.
 * @param topic the page `templates/help/<topic>.md`
 */
export function testPage(
  topic: string,
  { serve, env: more = {}, instead = async () => ({}) }: PageWorld = {},
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
    const page = readPage(topic);
    const blocks = blocksOf(page);
    expect(blocks.length).toBeGreaterThan(0);
    const script = Object.entries(replaced).reduce(
      (text, [written, here]) => text.replaceAll(written, here),
      [preparationOf(page), ...blocks].join('\n'),
    );
    const { code, output } = await runScript(script, { cwd: world.cwd, env });
    expect(code, output.slice(-4000)).toBe(0);
  }, 120_000);
}
