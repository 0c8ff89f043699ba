// Called by a trigger when a parcel is out for delivery: one mail per parcel and day.
import { SMTPClient } from "https://deno.land/x/denomailer/mod.ts";

const greetings: Record<string, string> = { de: "Guten Tag", pl: "Dzień dobry", tr: "Merhaba", en: "Hello" };

Deno.serve(async (request) => {
  const { recipient, language = "en", eta } = await request.json();
  const client = new SMTPClient({
    connection: { hostname: Deno.env.get("SMTP_HOST")!, auth: { username: "post", password: Deno.env.get("SMTP_PASSWORD")! } },
  });
  await client.send({
    from: "Nordlicht Logistik <post@nordlicht-logistik.example>",
    to: recipient,
    subject: `Your parcel arrives around ${eta}`,
    content: `${greetings[language] ?? greetings.en}!\n\nWe will be at your door around ${eta}.\n`,
  });
  await client.close();
  return new Response(null, { status: 204 });
});
