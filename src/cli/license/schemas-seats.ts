import { z } from 'zod';
import { DenialsPage, SeatUseView } from '#licensing/insight/reports/view.ts';
import { pageShape } from '../shapes.ts';

/** `license seats`, and with --denied who was refused. */
export const SeatsOutput = z.union([pageShape(SeatUseView), DenialsPage]);
