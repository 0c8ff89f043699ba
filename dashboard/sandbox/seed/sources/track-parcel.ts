// Answers where a parcel is, for the public tracking page.
import { createClient } from "npm:@supabase/supabase-js@2";

const headers = { "content-type": "application/json", "cache-control": "max-age=15" };

Deno.serve(async (request) => {
  const code = new URL(request.url).searchParams.get("code")?.toUpperCase() ?? "";
  if (!/^NL[0-9]{9}DE$/.test(code)) {
    return new Response(JSON.stringify({ error: "This is no tracking code." }), { status: 400, headers });
  }
  const database = createClient(Deno.env.get("SUPABASE_URL")!, Deno.env.get("SUPABASE_SERVICE_ROLE_KEY")!);
  const { data, error } = await database
    .from("parcels")
    .select("state, destination->city, parcel_events(kind, happened_at, depots(name))")
    .eq("tracking_code", code)
    .maybeSingle();
  if (error) throw error;
  return new Response(JSON.stringify(data ?? { error: "Not found yet." }), { status: data ? 200 : 404, headers });
});
