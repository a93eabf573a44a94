// A small program on the frame of the command line: a process for what only a process shows.
import { runProcess } from '../../src/cli/frame/run.ts';
import { sampleTree } from './sample-commands.ts';

await runProcess(sampleTree());
