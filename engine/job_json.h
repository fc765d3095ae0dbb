// The seam's values (engine/job.h) as JSON and back, for an engine in another process. Fields are named as
// the members are; an optional without a value is left out. Reading ignores fields it does not know and
// leaves absent ones at their defaults; one of a wrong type, or out of range, is an Error of code kInvalid
// whose message begins with the field's path ("job.segments[1].kind"). Numbers must be finite. Pure
// functions.
#pragma once

#include <boost/json/value.hpp>

#include "engine/error.h"
#include "engine/job.h"

namespace hearth::engine {

boost::json::value to_json(const Segment& segment);
boost::json::value to_json(const Job& job);
boost::json::value to_json(const Event& event);  // {"delta": {...}} or {"final": {...}}
boost::json::value to_json(const ScoreRequest& request);
boost::json::value to_json(const MemoryUpdate& update);
boost::json::value to_json(const EngineStatus& status);

Result<Segment> segment_from_json(const boost::json::value& json);
Result<Job> job_from_json(const boost::json::value& json);
Result<Event> event_from_json(const boost::json::value& json);
Result<ScoreRequest> score_request_from_json(const boost::json::value& json);
Result<MemoryUpdate> memory_update_from_json(const boost::json::value& json);
Result<EngineStatus> status_from_json(const boost::json::value& json);

}  // namespace hearth::engine
