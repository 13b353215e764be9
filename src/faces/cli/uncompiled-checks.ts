import * as z from 'zod';

// Imported before what makes schemas: checks that are made once are not worth compiling.
z.config({ jitless: true });
