// Loads the configuration in a folder of its own, as a process that starts there would.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { ConfigError, type ConfigProblem } from '#kernel/config/errors.ts';
import { type LoadedConfig, loadConfig } from '#kernel/config/load.ts';
import type { ConfigInput } from '#kernel/config/sources.ts';
import { scratchFolder } from './scratch-folder.ts';

/** What a test of the configuration works with. */
export interface ConfigFolder {
  /** The folder of the running test. */
  cwd(): string;
  /** Writes a file below the folder and returns its path. */
  file(name: string, text: string): string;
  /** Loads with the folder as working directory and home, and no variables but those given. */
  load(input?: ConfigInput): Promise<LoadedConfig>;
  /** Loads and returns the problems; fails when there are none. */
  problemsOf(input: ConfigInput): Promise<readonly ConfigProblem[]>;
}

/** Gives every test of a file a new folder. */
export function useConfigFolder(): ConfigFolder {
  let folder = '';
  beforeEach(() => {
    folder = scratchFolder('appctl-config-');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = (input: ConfigInput = {}) =>
    loadConfig({ cwd: folder, ...input, env: { HOME: folder, ...input.env } });
  return {
    cwd: () => folder,
    load,
    file(name, text) {
      const path = join(folder, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    async problemsOf(input) {
      const error = await load(input).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).problems;
    },
  };
}
