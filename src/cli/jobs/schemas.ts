import { z } from 'zod';
import { RunView } from '#platform/jobs/view.ts';

const Started = z.strictObject({ name: z.string(), started: z.literal(true) });

/** `Run` of cli.md section 2 once it has ended, or that it has begun. */
export const JobsRunOutput = z.union([z.strictObject(RunView.shape), Started]);
