import { testPage } from './run-page.ts';

testPage('reports', { serve: [] });
