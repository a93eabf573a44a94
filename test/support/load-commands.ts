// Loads the action and the schema of every command as the program does, and prints each path.
import { commandTree } from '../../src/cli/index.ts';

for (const { path, load, output } of (await commandTree()).specs) {
  await load();
  await output?.();
  process.stdout.write(`${path}\n`);
}
