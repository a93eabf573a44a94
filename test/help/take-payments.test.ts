import { testPage } from './run-page.ts';

testPage('take-payments', { serve: [] });
